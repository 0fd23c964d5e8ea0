-- Runs before a staged statement that may run user code: notes what the transaction has written to the catalogs so far. Only settings can
-- keep values in a statement of any role, and its code can change them; the nonce, which only the proxy knows, seals this one.
CREATE OR REPLACE FUNCTION stage.begin_tripwire(p_nonce text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_writes text := stage.catalog_writes();
BEGIN
  PERFORM set_config('stage.seal', concat_ws(' ', v_writes, stage.seal(p_nonce, v_writes)), true);
END $$;
