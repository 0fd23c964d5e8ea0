-- Checks a constraint that PostgreSQL checks at COMMIT, or when SET CONSTRAINTS makes it immediate.
-- Filled in src/overlay/foreign-keys/deferral.ts.
CREATE FUNCTION {{function}}() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
DECLARE
  _stage_v_value text;
  _stage_v_partition oid;
  _stage_v_referring oid;
BEGIN
{{checks}}
  RETURN NULL;
END $body$;

CREATE CONSTRAINT TRIGGER {{trigger}} AFTER INSERT ON {{shadow}} DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW WHEN ({{is_deferred}}) EXECUTE FUNCTION {{function}}();
-- fires whatever session_replication_role is then
ALTER TABLE {{shadow}} ENABLE ALWAYS TRIGGER {{trigger}};
