-- Returns whether a schema is the service's own, by its name and its owner: a role that may create schemas can choose a name of that form,
-- but cannot make the service the owner, nor a role that is a member of the service's.
-- In PL/pgSQL, which keeps its plan: it is called for each name, and in loops over catalogs.
-- Filled in src/db/sql-file.ts: `internal_schemas` is the pattern of the names of the service's schemas.
CREATE OR REPLACE FUNCTION stage.is_internal_schema(p_schema oid) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_namespace s ON s.nspname OPERATOR(pg_catalog.=) 'stage'
    WHERE n.oid OPERATOR(pg_catalog.=) p_schema
      -- guard: the owner alone does not make a schema internal
      AND n.nspname OPERATOR(pg_catalog.~) '{{internal_schemas}}'
      -- guard: the name alone does not make a schema internal
      AND pg_catalog.pg_has_role(n.nspowner, s.nspowner, 'MEMBER'));
END $$;
