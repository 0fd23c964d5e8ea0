-- Returns what the names that a statement calls may stand for on the caller's connection, where that may be a volatile function, run user
-- code, or do what READ ONLY does not prevent.
-- p_calls: [{"kind": "function" | "field" | "operator" | "type" | "relation", "schema": null | text, "name": text}, ...]; a field is a name
-- behind a dot, and calls functions of one argument; a relation is read.
-- Returns a row for each kind of candidate. place: the position of the name in the array, from 1. schema, name: those of the function that
-- is called. is_named: it is the function of that name, not one that an aggregate, an operator, a cast, a domain or a relation calls.
-- is_made: one of these that users made calls it. is_found: the name is in the schema, or in the search path; of other schemas only
-- functions in C that could do harm are returned. known_schema, known_name: the function of the server or of an extension that has the same
-- code in C, and whose volatility counts.
DROP FUNCTION IF EXISTS stage.find_code(jsonb);
CREATE FUNCTION stage.find_code(p_calls jsonb)
RETURNS TABLE (place bigint, schema text, name text, known_schema text, known_name text, is_named boolean, is_made boolean, is_found boolean,
  is_volatile boolean, is_immutable boolean, is_code boolean, is_compiled boolean, is_extension boolean)
LANGUAGE plpgsql STABLE SET jit = off SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  v_candidates pg_catalog.jsonb;
BEGIN
  SELECT pg_catalog.jsonb_agg(pg_catalog.to_jsonb(c)) INTO v_candidates FROM stage.called_functions(p_calls) c;
  IF v_candidates IS NULL THEN RETURN; END IF;
  RETURN QUERY
  WITH call AS (
    SELECT n.place, n.schema,
      CASE WHEN n.schema IS NULL THEN pg_catalog.current_schemas(true) ELSE ARRAY[n.schema] END AS schemas
    FROM ROWS FROM (pg_catalog.jsonb_to_recordset(p_calls) AS (schema pg_catalog.name)) WITH ORDINALITY n(schema, place)
  ), found AS (
    SELECT c.place, s.nspname AS schema, p.proname AS name, k.schema AS known_schema, k.name AS known_name, c.is_named, c.is_made,
      o.nspname OPERATOR(pg_catalog.=) ANY (n.schemas) AS is_found, n.schema IS NULL AS is_bare,
      coalesce(k.volatility, p.provolatile) OPERATOR(pg_catalog.=) 'v' AS is_volatile,
      coalesce(k.volatility, p.provolatile) OPERATOR(pg_catalog.=) 'i' AS is_immutable,
      -- functions in C are not user code, but aggregates may be: checking each candidate would take longer than all the rest
      (p.prokind OPERATOR(pg_catalog.=) 'a' OR l.lanname OPERATOR(pg_catalog.<>) ALL ('{internal,c}'::pg_catalog.name[]))
        AND stage.is_user_code(p.oid) AS is_code,
      l.lanname OPERATOR(pg_catalog.=) ANY ('{internal,c}'::pg_catalog.name[]) AS is_compiled,
      k.is_extension OR stage.is_of_extension('pg_proc', p.oid) AS is_extension
    FROM pg_catalog.jsonb_to_recordset(v_candidates) c(place pg_catalog.int8, is_named pg_catalog.bool, is_made pg_catalog.bool, namespace pg_catalog.oid,
      function pg_catalog.oid)
    JOIN call n ON n.place OPERATOR(pg_catalog.=) c.place
    JOIN pg_catalog.pg_namespace o ON o.oid OPERATOR(pg_catalog.=) c.namespace
    JOIN pg_catalog.pg_proc p ON p.oid OPERATOR(pg_catalog.=) c.function
    JOIN pg_catalog.pg_namespace s ON s.oid OPERATOR(pg_catalog.=) p.pronamespace
    JOIN pg_catalog.pg_language l ON l.oid OPERATOR(pg_catalog.=) p.prolang
    LEFT JOIN LATERAL (
      SELECT * FROM stage.known_function(p.prolang, p.prosrc, p.probin) WHERE l.lanname OPERATOR(pg_catalog.=) ANY ('{internal,c}'::pg_catalog.name[])
        AND stage.is_made_by_users('pg_proc', p.oid)
      OFFSET 0  -- evaluates known_function only for these
    ) k ON true
    WHERE n.schema IS NULL OR o.nspname OPERATOR(pg_catalog.=) n.schema
  )
  SELECT DISTINCT f.place, f.schema::pg_catalog.text, f.name::pg_catalog.text, f.known_schema::pg_catalog.text, f.known_name::pg_catalog.text,
    f.is_named, f.is_made, f.is_found, f.is_volatile, f.is_immutable, f.is_code, f.is_compiled, coalesce(f.is_extension, false)
  FROM found f
  WHERE CASE WHEN f.is_found THEN f.is_named OR f.is_volatile OR f.is_code OR f.is_made
             ELSE f.is_bare AND (f.is_named AND (f.is_compiled AND f.is_volatile OR f.is_extension) OR f.is_made AND f.is_compiled) END;
END $$;
