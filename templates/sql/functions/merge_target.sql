-- Creates the temporary table that MERGE runs on in place of a table, where PostgreSQL cannot merge into a view. Returns how many rows that
-- has written to the catalogs, and adds them to what is noted under the nonce: see stage.refuse_written_outside.
DROP FUNCTION IF EXISTS stage.merge_target(oid);
CREATE OR REPLACE FUNCTION stage.merge_target(p_relation oid, p_nonce text DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_before bigint := stage.catalog_writes();
  v_written bigint;
BEGIN
  EXECUTE format('SELECT stage_data.merge_target_%s()', p_relation);
  v_written := stage.catalog_writes() - v_before;
  IF p_nonce IS NOT NULL THEN PERFORM stage.note_counted(p_nonce, stage.counted(p_nonce) + v_written); END IF;
  RETURN v_written;
END $$;
