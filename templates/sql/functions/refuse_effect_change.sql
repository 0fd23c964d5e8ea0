-- BEFORE UPDATE trigger of a shadow table: keeps a row that a trigger of production wrote while rows were staged.
CREATE OR REPLACE FUNCTION stage.refuse_effect_change() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- guard: what a trigger wrote is not changed: approval does not apply it, and production may give it another key
  PERFORM stage.refuse_effect(substr(TG_TABLE_NAME, 8)::oid);
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION stage.refuse_effect_change() FROM PUBLIC;
