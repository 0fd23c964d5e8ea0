  -- Checks rows that came as a set together. Only staging row by row raises the errors that PostgreSQL would, and in its order: if a row is
  -- invalid, the whole statement fails, and is run again in that way. The session's own rows collide by the shadow's unique indexes. Code
  -- that the query calls may have changed settings meanwhile: every row is checked, and none is staged for another session or statement.
  -- Filled in src/overlay/rows/load.ts: `violations` has, each after OR, the conditions under which a row s is not in order.
  -- guard: rows that are staged as a set are checked
  IF pg_trigger_depth() > 1 OR EXISTS (
    SELECT FROM inserted s
    WHERE s._stage_session IS DISTINCT FROM _stage_v_session OR s._stage_mutation IS DISTINCT FROM _stage_v_mutation OR s._stage_seq <= _stage_v_start{{violations}})
  THEN
    RAISE EXCEPTION 'the rows have to be staged one by one' USING ERRCODE = 'ST004';
  END IF;
