  -- Rows that came as a set are judged as one. Of a row that is not in order only the way row by row tells what PostgreSQL would, and
  -- when: the whole statement fails, to be run again in that way. The session's own rows are in the way by the shadow's unique indexes.
  -- guard: rows that came as a set are judged
  IF pg_trigger_depth() > 1 OR EXISTS (
    SELECT FROM {{shadow}} s
    -- by subqueries, as below
    WHERE s._stage_session = (SELECT v_session) AND s._stage_seq > (SELECT v_start) AND s._stage_mutation = (SELECT v_mutation)
      AND ({{violations}}))
  THEN
    RAISE EXCEPTION 'the rows have to be staged one by one' USING ERRCODE = 'ST004';
  END IF;
