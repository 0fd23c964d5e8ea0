-- Stands for lastval() in statements and copies of code: PostgreSQL's own may be about stage.seq.
CREATE OR REPLACE FUNCTION stage.lastval() RETURNS bigint
LANGUAGE plpgsql COST 1 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_own bigint;
  v_sequence oid;
BEGIN
  BEGIN
    v_own := currval('stage.seq');
  EXCEPTION WHEN object_not_in_prerequisite_state THEN
    NULL;  -- nothing is staged yet
  END;
  -- with PostgreSQL's own errors
  IF lastval() IS DISTINCT FROM v_own THEN RETURN lastval(); END IF;
  BEGIN
    v_sequence := currval('stage.last_sequence');
  EXCEPTION WHEN object_not_in_prerequisite_state THEN
    NULL;  -- the client has drawn nothing
  END;
  IF EXISTS (SELECT FROM pg_class c WHERE c.oid = v_sequence) THEN RETURN currval(v_sequence); END IF;
  RAISE EXCEPTION 'lastval is not yet defined in this session' USING ERRCODE = 'object_not_in_prerequisite_state';
END $$;
