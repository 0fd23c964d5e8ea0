-- Returns the name of the table behind a view, if the role whose rights count lacks a right there that a statement needs; else NULL.
-- p_rights: what the statement writes, in the view's columns (see stage.begin_statement).
CREATE OR REPLACE FUNCTION stage.denied_behind(p_view oid, p_rights jsonb) RETURNS text
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT c.relname
    FROM stage.staged_view t JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) t.target
    CROSS JOIN LATERAL (
      SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('operation', r.value OPERATOR(pg_catalog.->>) 'operation', 'columns',
        CASE WHEN r.value OPERATOR(pg_catalog.->>) 'operation' OPERATOR(pg_catalog.<>) 'DELETE' THEN ARRAY(
          SELECT m.value FROM pg_catalog.jsonb_each_text(t.target_columns) m
          WHERE pg_catalog.jsonb_typeof(r.value OPERATOR(pg_catalog.->) 'columns') OPERATOR(pg_catalog.<>) 'array'
            OR r.value OPERATOR(pg_catalog.->) 'columns' OPERATOR(pg_catalog.?) m.key) END)
        OPERATOR(pg_catalog.||) CASE WHEN r.value OPERATOR(pg_catalog.?) 'returned' THEN pg_catalog.jsonb_build_object('returned', ARRAY(
          -- whatever it returns, PostgreSQL demands the right to all columns that the view reads
          SELECT m.value FROM pg_catalog.jsonb_each_text(t.target_columns) m)) ELSE '{}' END) AS rights
      FROM pg_catalog.jsonb_array_elements(p_rights) r(value)) w
    WHERE t.relation OPERATOR(pg_catalog.=) p_view AND NOT stage.has_rights(t.target, w.rights, coalesce(pg_catalog.pg_get_userbyid(t.target_role), current_user)));
END $$;
