-- Notes how many of the rows in the catalogs' counters the running transaction did not write. Call it first in a transaction where an
-- earlier one of the connection may have written to the catalogs: counters are reported with delay. Returns the count. Only settings can
-- keep values in a transaction of any role, and its code can change them; the nonce, which only the proxy knows, seals this one.
CREATE OR REPLACE FUNCTION stage.note_counted(p_nonce text, p_counted bigint DEFAULT stage.catalog_writes()) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- so that the count is 0 again as soon as the connection has been idle
  PERFORM pg_stat_force_next_flush();
  PERFORM set_config('stage.counted', concat_ws(' ', p_counted, stage.seal(p_nonce, p_counted::text)), true);
  RETURN p_counted;
END $$;
