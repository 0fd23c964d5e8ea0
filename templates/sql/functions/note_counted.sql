-- Notes what of the catalogs' counters is no write of the running transaction. To be called first in it, where an earlier one of the
-- connection may have written to the catalogs: what is counted is reported with delay. Gives the count. A setting is all that a
-- transaction of any role can keep, and its code can change it; the nonce, which only the proxy knows, seals this one.
CREATE OR REPLACE FUNCTION stage.note_counted(p_nonce text, p_counted bigint DEFAULT stage.catalog_writes()) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- so that the count is 0 again as soon as the connection has been idle
  PERFORM pg_stat_force_next_flush();
  PERFORM set_config('stage.counted', concat_ws(' ', p_counted, stage.seal(p_nonce, p_counted::text)), true);
  RETURN p_counted;
END $$;
