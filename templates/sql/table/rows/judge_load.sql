  -- Rows that came as a set are judged as one. Of a row that is not in order only the way row by row tells what PostgreSQL would, and
  -- when: the whole statement fails, to be run again in that way. The session's own rows are in the way by the shadow's unique indexes.
  -- What the query calls may have changed settings under way: every row is judged, and none is staged for another session or statement.
  -- guard: rows that came as a set are judged
  IF pg_trigger_depth() > 1 OR EXISTS (
    SELECT FROM brought s
    WHERE s._stage_session IS DISTINCT FROM _stage_v_session OR s._stage_mutation IS DISTINCT FROM _stage_v_mutation OR s._stage_seq <= _stage_v_start{{violations}})
  THEN
    RAISE EXCEPTION 'the rows have to be staged one by one' USING ERRCODE = 'ST004';
  END IF;
