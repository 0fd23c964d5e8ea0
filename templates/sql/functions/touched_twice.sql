-- Handles a second change of a row in one statement: raises an error in a MERGE; any other statement changes the row once.
CREATE OR REPLACE FUNCTION stage.touched_twice(p_relation oid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF coalesce(current_setting('stage.merge_' || p_relation, true), '') = 'on' AND pg_trigger_depth() = 1 THEN
    RAISE EXCEPTION 'MERGE command cannot affect row a second time'
      USING ERRCODE = 'cardinality_violation', HINT = 'Ensure that not more than one source row matches any one target row.';
  END IF;
END $$;
