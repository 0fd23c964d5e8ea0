-- Waits for another connection of the session that is changing a row which is in the way of the running statement: what it leaves
-- decides. p_row: the row as the overlay shows it, as JSON. For one without a key nobody waits.
CREATE OR REPLACE FUNCTION stage.await_row(p_relation oid, p_row jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF to_regprocedure(format('stage_data.await_%s(uuid, jsonb)', p_relation)) IS NULL THEN RETURN; END IF;
  EXECUTE format('SELECT stage_data.await_%s($1, $2)', p_relation) USING current_setting('stage.session')::uuid, p_row;
END $$;
REVOKE ALL ON FUNCTION stage.await_row(oid, jsonb) FROM PUBLIC;
