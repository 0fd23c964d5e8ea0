-- AFTER INSERT trigger of stage.deferred_firing, at COMMIT or SET CONSTRAINTS ALL IMMEDIATE: fires the copy of a deferred constraint trigger
-- with the rights of the client. COMMIT is READ ONLY then, see stage.refuse_written_outside.
CREATE OR REPLACE FUNCTION stage.fire_deferred() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- literals get the types of the parameters, which the client may not name
  EXECUTE format('SELECT %s(%L, %L, %L)', NEW.copy, NEW.new, NEW.old, NEW.operation);
  RETURN NULL;
END $$;
