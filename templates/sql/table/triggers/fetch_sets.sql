  -- a record holds the arrays: the client may not name their types
  FETCH _stage_v_set_rows INTO _stage_v_sets;
  CLOSE _stage_v_set_rows;
