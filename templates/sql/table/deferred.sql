-- Constraints that PostgreSQL judges at COMMIT.
CREATE FUNCTION {{function}}() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
DECLARE
  v_value text;
BEGIN
{{checks}}
  RETURN NULL;
END $body$;

CREATE CONSTRAINT TRIGGER deferred AFTER INSERT ON {{shadow}} DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION {{function}}();
