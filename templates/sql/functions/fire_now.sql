-- Fires the deferred constraint triggers, as SET CONSTRAINTS ALL IMMEDIATE does.
CREATE OR REPLACE FUNCTION stage.fire_now() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- those that are immediate fire at the end of their statement, and leave nothing to this
  SET CONSTRAINTS stage.deferred_fire IMMEDIATE;
  SET CONSTRAINTS stage.deferred_fire DEFERRED;
END $$;
