-- Returns whether unqualified names mean PostgreSQL's own functions and operators first. A policy's expression is text when it is evaluated
-- for staged rows: under another search_path its operators could be those of other users.
CREATE OR REPLACE FUNCTION stage.catalog_comes_first() RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT s.name OPERATOR(pg_catalog.=) 'pg_catalog'
    FROM pg_catalog.unnest(pg_catalog.current_schemas(true)) WITH ORDINALITY s (name, position)
    WHERE NOT pg_catalog.starts_with(s.name::pg_catalog.text, 'pg_temp_')
    ORDER BY s.position LIMIT 1);
END $$;
