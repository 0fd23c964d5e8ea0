-- Returns whether a role may read every row and column of a table by the present rights. Policies are not evaluated: where row-level
-- security applies to the role at all, it may hide rows.
CREATE OR REPLACE FUNCTION stage.can_read(p_role name, p_relation oid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (
    SELECT FROM pg_roles r, pg_class c
    WHERE r.rolname = $1 AND c.oid = $2
      -- guard: a schema must be usable for its tables to be readable
      AND has_schema_privilege(r.oid, c.relnamespace, 'USAGE')
      AND (has_table_privilege(r.oid, c.oid, 'SELECT') OR (
        -- guard: every column must be readable for the table to be
        SELECT bool_and(has_column_privilege(r.oid, c.oid, a.attnum, 'SELECT')) FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped))
      -- guard: row-level security may hide rows
      AND (NOT c.relrowsecurity OR r.rolsuper OR r.rolbypassrls
        -- guard: row-level security that is forced may hide rows from owners
        OR NOT c.relforcerowsecurity AND pg_has_role(r.oid, c.relowner, 'USAGE')))
$$;
REVOKE ALL ON FUNCTION stage.can_read(name, oid) FROM PUBLIC;
