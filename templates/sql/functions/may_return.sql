-- Returns whether a role may read what INSERT statements into a table return. p_rights: [{"returned": null | [name, ...]}, ...], with names
-- that may be columns of the table; null for all of its columns.
CREATE OR REPLACE FUNCTION stage.may_return(p_relation oid, p_rights jsonb, p_role name) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN has_table_privilege(p_role, p_relation, 'SELECT') OR NOT EXISTS (
    SELECT FROM jsonb_array_elements(p_rights) r(value) JOIN pg_attribute a ON a.attrelid = p_relation AND a.attnum > 0 AND NOT a.attisdropped
    WHERE r.value ? 'returned' AND (jsonb_typeof(r.value -> 'returned') = 'null' OR r.value -> 'returned' ? a.attname)
      AND NOT has_column_privilege(p_role, p_relation, a.attnum, 'SELECT'));
END $$;
