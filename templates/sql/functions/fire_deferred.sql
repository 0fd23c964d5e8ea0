-- AFTER INSERT trigger of stage.deferred_firing, at COMMIT or SET CONSTRAINTS ALL IMMEDIATE: fires the copy of a deferred constraint trigger
-- with the rights of the client. COMMIT is READ ONLY then, see stage.refuse_written_outside.
CREATE OR REPLACE FUNCTION stage.fire_deferred() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- guard: COMMIT fires only copies of triggers, although every role may queue a row
  IF NEW.copy !~ '^stage_overlay_[0-9]+[.]trigger_[0-9]+_[0-9]+$' THEN
    RAISE EXCEPTION '% is no copy of a trigger', NEW.copy USING ERRCODE = 'insufficient_privilege';
  END IF;
  -- literals get the types of the parameters, which the client may not name
  EXECUTE format('SELECT %s(%L, %L, %L)', NEW.copy, NEW.new, NEW.old, NEW.operation);
  RETURN NULL;
END $$;
