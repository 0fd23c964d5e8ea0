-- What the names that a statement calls may stand for on the caller's connection: which may be volatile functions, run user code,
-- or do what READ ONLY does not hold.
-- p_calls: [{"kind": "function" | "field" | "operator" | "type", "schema": null | text, "name": text}, ...]; a field is what
-- stands behind a dot, and calls functions of one argument.
-- A row for each kind of candidate: place is the name's in the array, from 1; schema is the candidate's own. is_named: it is the
-- function of that name, and not what an operator, a cast or a domain calls. is_found: in the schema, or in the search path; of
-- other schemas there are only functions that could do harm in C.
DROP FUNCTION IF EXISTS stage.find_code(jsonb);
CREATE FUNCTION stage.find_code(p_calls jsonb)
RETURNS TABLE (place bigint, schema text, is_named boolean, is_found boolean, is_volatile boolean, is_code boolean,
  is_compiled boolean, is_extension boolean)
LANGUAGE sql STABLE SET jit = off AS $$
  WITH call AS (
    SELECT n.place, n.kind, n.name, n.schema,
      CASE WHEN n.schema IS NULL THEN pg_catalog.current_schemas(true) ELSE ARRAY[n.schema] END AS schemas
    FROM ROWS FROM (pg_catalog.jsonb_to_recordset(p_calls)
      AS (kind pg_catalog.text, schema pg_catalog.name, name pg_catalog.name)) WITH ORDINALITY n(kind, schema, name, place)
  ), candidate AS (
    SELECT c.place, true AS is_named, p.pronamespace AS namespace, p.oid AS function
    FROM call c JOIN pg_catalog.pg_proc p ON p.proname OPERATOR(pg_catalog.=) c.name
    WHERE c.kind OPERATOR(pg_catalog.=) 'function'
      OR c.kind OPERATOR(pg_catalog.=) 'field' AND p.pronargs OPERATOR(pg_catalog.>=) 1
        AND p.pronargs OPERATOR(pg_catalog.-) p.pronargdefaults OPERATOR(pg_catalog.<=) 1
    UNION ALL
    SELECT c.place, false, o.oprnamespace, o.oprcode::pg_catalog.oid
    FROM call c JOIN pg_catalog.pg_operator o ON o.oprname OPERATOR(pg_catalog.=) c.name
    WHERE c.kind OPERATOR(pg_catalog.=) 'operator'
    UNION ALL
    -- what is cast to a domain is checked; and any type may have casts that are functions
    SELECT c.place, false, t.typnamespace, f.function
    FROM call c
    JOIN pg_catalog.pg_type t ON t.typname OPERATOR(pg_catalog.=) c.name
    CROSS JOIN LATERAL (
      SELECT s.castfunc FROM pg_catalog.pg_cast s WHERE s.casttarget OPERATOR(pg_catalog.=) t.oid OR s.castsource OPERATOR(pg_catalog.=) t.oid
      UNION ALL SELECT r.function FROM stage.referenced_functions('pg_constraint', ARRAY(
        SELECT k.oid FROM pg_catalog.pg_constraint k WHERE k.contypid OPERATOR(pg_catalog.<>) 0::pg_catalog.oid)) r
      WHERE t.typtype OPERATOR(pg_catalog.<>) 'b'
    ) f(function)
    WHERE c.kind OPERATOR(pg_catalog.=) 'type'
  ), found AS (
    SELECT c.place, s.nspname::pg_catalog.text AS schema, c.is_named, s.nspname OPERATOR(pg_catalog.=) ANY (n.schemas) AS is_found,
      n.schema IS NULL AS is_bare, p.provolatile OPERATOR(pg_catalog.=) 'v' AS is_volatile,
      -- what is written in C is none, aggregates aside: to ask of each candidate would take longer than all the rest
      (p.prokind OPERATOR(pg_catalog.=) 'a' OR l.lanname OPERATOR(pg_catalog.<>) ALL ('{internal,c}'::pg_catalog.name[]))
        AND stage.is_user_code(p.oid) AS is_code,
      l.lanname OPERATOR(pg_catalog.=) ANY ('{internal,c}'::pg_catalog.name[]) AS is_compiled,
      EXISTS (SELECT FROM pg_catalog.pg_depend d
        WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass::pg_catalog.oid
          AND d.objid OPERATOR(pg_catalog.=) p.oid AND d.deptype OPERATOR(pg_catalog.=) 'e'::pg_catalog."char") AS is_extension
    FROM candidate c
    JOIN call n ON n.place OPERATOR(pg_catalog.=) c.place
    JOIN pg_catalog.pg_namespace s ON s.oid OPERATOR(pg_catalog.=) c.namespace
    JOIN pg_catalog.pg_proc p ON p.oid OPERATOR(pg_catalog.=) c.function
    JOIN pg_catalog.pg_language l ON l.oid OPERATOR(pg_catalog.=) p.prolang
    WHERE n.schema IS NULL OR s.nspname OPERATOR(pg_catalog.=) n.schema
  )
  SELECT DISTINCT f.place, f.schema, f.is_named, f.is_found, f.is_volatile, f.is_code, f.is_compiled, f.is_extension
  FROM found f
  WHERE CASE WHEN f.is_found THEN f.is_named OR f.is_volatile OR f.is_code
             ELSE f.is_named AND f.is_bare AND (f.is_compiled AND f.is_volatile OR f.is_extension) END
$$;
