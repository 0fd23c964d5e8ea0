-- Drops the staged functions whose sources have changed, so that they do not block a migration.
CREATE OR REPLACE FUNCTION stage.release_functions() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_ids bigint[];
  v_id bigint;
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
END $$;
REVOKE ALL ON FUNCTION stage.release_functions() FROM PUBLIC;
