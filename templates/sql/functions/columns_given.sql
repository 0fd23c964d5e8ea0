-- Returns the names of columns that functions in FROM may give, beside those that a query names for them. p_names: as in
-- stage.resolve_functions; p_schemas: those in which they are looked up.
CREATE OR REPLACE FUNCTION stage.columns_given(p_names jsonb, p_schemas name[]) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
  SELECT coalesce(jsonb_agg(DISTINCT g.name), '[]')
  FROM jsonb_array_elements(p_names) n(name)
  CROSS JOIN LATERAL stage.functions_named(n.name, ARRAY(SELECT s.oid FROM pg_namespace s WHERE s.nspname = ANY (p_schemas))) p
  CROSS JOIN LATERAL (
    SELECT a.name FROM unnest(p.proargnames, p.proargmodes) a(name, mode) WHERE a.mode IN ('o', 'b', 't')
    UNION ALL SELECT c.attname FROM pg_type t JOIN pg_attribute c ON c.attrelid = t.typrelid AND c.attnum > 0
    WHERE t.oid IN (p.prorettype, (SELECT b.typbasetype FROM pg_type b WHERE b.oid = p.prorettype)) AND t.typtype = 'c') g(name)
$$;
