-- Notes which temporary tables, indexes and other relations the running transaction has dropped, sealed by the nonce: nothing else records
-- what they were.
CREATE OR REPLACE FUNCTION stage.note_dropped(p_nonce text, p_dropped oid[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM set_config('stage.dropped', concat_ws(' ', p_dropped::text, stage.seal(p_nonce, p_dropped::text)), true);
END $$;
