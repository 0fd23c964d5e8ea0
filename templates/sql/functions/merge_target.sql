-- Makes the temporary table that MERGE runs on in place of a table, where PostgreSQL cannot merge into a view.
CREATE OR REPLACE FUNCTION stage.merge_target(p_relation oid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  EXECUTE format('SELECT stage_data.merge_target_%s()', p_relation);
END $$;
