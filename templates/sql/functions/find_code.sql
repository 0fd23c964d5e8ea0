-- Which of the names that a statement calls may be volatile functions, or run user code, on the caller's connection.
-- p_calls: [{"kind": "function" | "operator" | "type", "schema": null | text, "name": text}, ...]
-- A row for each candidate: place is the name's in the array, from 1; schema is the candidate's own.
CREATE OR REPLACE FUNCTION stage.find_code(p_calls jsonb)
RETURNS TABLE (place bigint, schema text, is_volatile boolean, is_code boolean)
LANGUAGE sql STABLE AS $$
  WITH call AS (
    SELECT n.place, n.kind, n.name, CASE WHEN n.schema IS NULL THEN pg_catalog.current_schemas(true) ELSE ARRAY[n.schema] END AS schemas
    FROM ROWS FROM (pg_catalog.jsonb_to_recordset(p_calls)
      AS (kind pg_catalog.text, schema pg_catalog.name, name pg_catalog.name)) WITH ORDINALITY n(kind, schema, name, place)
  ), candidate AS (
    SELECT c.place, p.pronamespace AS namespace, p.oid AS function
    FROM call c JOIN pg_catalog.pg_proc p ON p.proname OPERATOR(pg_catalog.=) c.name
    WHERE c.kind OPERATOR(pg_catalog.=) 'function'
    UNION ALL
    SELECT c.place, o.oprnamespace, o.oprcode::pg_catalog.oid
    FROM call c JOIN pg_catalog.pg_operator o ON o.oprname OPERATOR(pg_catalog.=) c.name
    WHERE c.kind OPERATOR(pg_catalog.=) 'operator'
    UNION ALL
    -- what is cast to a domain is checked; and any type may have casts that are functions
    SELECT c.place, t.typnamespace, f.function
    FROM call c
    JOIN pg_catalog.pg_type t ON t.typname OPERATOR(pg_catalog.=) c.name
    CROSS JOIN LATERAL (
      SELECT s.castfunc FROM pg_catalog.pg_cast s WHERE s.casttarget OPERATOR(pg_catalog.=) t.oid OR s.castsource OPERATOR(pg_catalog.=) t.oid
      UNION ALL SELECT r.function FROM stage.referenced_functions('pg_constraint', ARRAY(
        SELECT k.oid FROM pg_catalog.pg_constraint k WHERE k.contypid OPERATOR(pg_catalog.<>) 0::pg_catalog.oid)) r
      WHERE t.typtype OPERATOR(pg_catalog.<>) 'b'
    ) f(function)
    WHERE c.kind OPERATOR(pg_catalog.=) 'type'
  )
  SELECT c.place, s.nspname::pg_catalog.text, p.provolatile OPERATOR(pg_catalog.=) 'v', stage.is_user_code(p.oid)
  FROM candidate c
  JOIN call n ON n.place OPERATOR(pg_catalog.=) c.place
  JOIN pg_catalog.pg_namespace s ON s.oid OPERATOR(pg_catalog.=) c.namespace AND s.nspname OPERATOR(pg_catalog.=) ANY (n.schemas)
  JOIN pg_catalog.pg_proc p ON p.oid OPERATOR(pg_catalog.=) c.function
  WHERE p.provolatile OPERATOR(pg_catalog.=) 'v' OR stage.is_user_code(p.oid)
$$;
