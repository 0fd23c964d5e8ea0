-- Returns whether a role, the caller's by default, may stage what a statement writes to a relation. A role that may write to it at all
-- needs the rights, column by column as in PostgreSQL; one that may only read it stages for others to approve (see stage.demand_rights).
CREATE OR REPLACE FUNCTION stage.has_rights(p_relation oid, p_rights jsonb, p_role name DEFAULT current_user) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  -- guard: an INSERT returns no columns that the role may not read
  IF (p_rights::pg_catalog.text) OPERATOR(pg_catalog.~~) '%"returned"%' AND NOT stage.may_return(p_relation, p_rights, p_role) THEN RETURN false; END IF;
  IF pg_catalog.has_table_privilege(p_role, p_relation, 'INSERT') AND pg_catalog.has_table_privilege(p_role, p_relation, 'UPDATE')
    AND pg_catalog.has_table_privilege(p_role, p_relation, 'DELETE')
  THEN
    RETURN true;
  END IF;
  IF NOT pg_catalog.has_table_privilege(p_role, p_relation, 'INSERT, UPDATE, DELETE')
    AND NOT pg_catalog.has_any_column_privilege(p_role, p_relation, 'INSERT, UPDATE')
  THEN
    RETURN pg_catalog.has_any_column_privilege(p_role, p_relation, 'SELECT');
  END IF;
  RETURN NOT EXISTS (
    SELECT FROM pg_catalog.jsonb_array_elements(p_rights) r(value)
    WHERE NOT pg_catalog.has_table_privilege(p_role, p_relation, r.value OPERATOR(pg_catalog.->>) 'operation')
      AND (pg_catalog.jsonb_typeof(r.value OPERATOR(pg_catalog.->) 'columns') OPERATOR(pg_catalog.<>) 'array' OR EXISTS (
        SELECT FROM pg_catalog.jsonb_array_elements_text(r.value OPERATOR(pg_catalog.->) 'columns') c(name)
        JOIN pg_catalog.pg_attribute a ON a.attrelid OPERATOR(pg_catalog.=) p_relation
          AND a.attname OPERATOR(pg_catalog.=) c.name::pg_catalog.name
        WHERE NOT pg_catalog.has_column_privilege(p_role, p_relation, a.attnum, r.value OPERATOR(pg_catalog.->>) 'operation'))));
END $$;
