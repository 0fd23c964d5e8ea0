-- Returns the functions that an expression calls by name, by an operator, as an aggregate or as a window function, read from its stored
-- tree: PostgreSQL records no dependencies on objects that came with the server. In PL/pgSQL, which keeps its plan: it is called for each
-- expression.
CREATE OR REPLACE FUNCTION stage.called_in(p_tree text) RETURNS SETOF oid
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT DISTINCT CASE WHEN m[1] = 'opno' THEN (SELECT o.oprcode::oid FROM pg_operator o WHERE o.oid = m[2]::oid) ELSE m[2]::oid END
  FROM regexp_matches(p_tree, ':(funcid|aggfnoid|winfnoid|opno) (\d+)', 'g') m;
END $$;
