-- AFTER INSERT trigger of stage.deferred_firing: deletes the row at once. At COMMIT, which is READ ONLY, it could not be deleted.
CREATE OR REPLACE FUNCTION stage.forget_firing() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM stage.deferred_firing d WHERE d.id = NEW.id;
  RETURN NULL;
END $$;
