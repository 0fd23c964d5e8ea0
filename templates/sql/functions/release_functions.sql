-- Drops the staged functions whose sources have changed, and the types of rows that no others use, so that they do not block a migration.
CREATE OR REPLACE FUNCTION stage.release_functions() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_ids bigint[];
  v_id bigint;
  v_type text;
BEGIN
  FOR v_ids IN DELETE FROM stage.staged_function t WHERE t.stamp <> stage.function_stamp(t.uses, t.path)
    RETURNING ARRAY[t.id, (t.uses ->> 'leaving')::bigint]
  LOOP
    FOREACH v_id IN ARRAY v_ids LOOP
      IF stage.is_internal_schema(to_regnamespace('stage_function_' || v_id)) THEN
        EXECUTE format('DROP SCHEMA stage_function_%s CASCADE', v_id);
      END IF;
    END LOOP;
  END LOOP;
  FOR v_type IN
    SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'stage'::regnamespace AND c.relkind = 'c' AND c.relname ~ '^row_value_[0-9]+$'
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.refclassid = 'pg_type'::regclass AND d.refobjid = c.reltype)
  LOOP
    EXECUTE format('DROP TYPE stage.%I', v_type);
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION stage.release_functions() FROM PUBLIC;
