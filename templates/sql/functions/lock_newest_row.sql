-- Waits until no other transaction is changing a staged row of the caller's session, and locks it until the transaction ends.
-- p_row: the row as stage.raise_changed reported it.
CREATE OR REPLACE FUNCTION stage.lock_newest_row(p_row text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_relation oid := split_part(p_row, ' ', 1)::oid;
BEGIN
  EXECUTE format('SELECT stage_data.lock_newest_%s($1, $2)', v_relation)
  USING current_setting('stage.session')::uuid, split_part(p_row, ' ', 2)::bigint;
END $$;
