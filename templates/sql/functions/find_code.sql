-- What the names that a statement calls may stand for on the caller's connection: which may be volatile functions, run user code,
-- or do what READ ONLY does not hold.
-- p_calls: [{"kind": "function" | "field" | "operator" | "type", "schema": null | text, "name": text}, ...]; a field is what
-- stands behind a dot, and calls functions of one argument.
-- A row for each kind of candidate: place is the name's in the array, from 1; schema and name are those of the function that is
-- called. is_named: it is the function of that name, and not what an aggregate, an operator, a cast or a domain calls; is_made: it is
-- what one of these calls that users made. is_found: in the schema, or in the search path; of other schemas there are only functions
-- that could do harm in C. known_schema, known_name: the function of the server or of an extension whose code in C this one
-- has, too, and whose volatility counts.
DROP FUNCTION IF EXISTS stage.find_code(jsonb);
CREATE FUNCTION stage.find_code(p_calls jsonb)
RETURNS TABLE (place bigint, schema text, name text, known_schema text, known_name text, is_named boolean, is_made boolean, is_found boolean,
  is_volatile boolean, is_immutable boolean, is_code boolean, is_compiled boolean, is_extension boolean)
LANGUAGE sql STABLE SET jit = off AS $$
  WITH call AS (
    SELECT n.place, n.kind, n.name, n.schema,
      CASE WHEN n.schema IS NULL THEN pg_catalog.current_schemas(true) ELSE ARRAY[n.schema] END AS schemas
    FROM ROWS FROM (pg_catalog.jsonb_to_recordset(p_calls)
      AS (kind pg_catalog.text, schema pg_catalog.name, name pg_catalog.name)) WITH ORDINALITY n(kind, schema, name, place)
  ), candidate AS (
    SELECT c.place, true AS is_named, false AS is_made, p.pronamespace AS namespace, p.oid AS function
    FROM call c JOIN pg_catalog.pg_proc p ON p.proname OPERATOR(pg_catalog.=) c.name
    WHERE c.kind OPERATOR(pg_catalog.=) 'function'
      OR c.kind OPERATOR(pg_catalog.=) 'field' AND p.pronargs OPERATOR(pg_catalog.>=) 1
        AND p.pronargs OPERATOR(pg_catalog.-) p.pronargdefaults OPERATOR(pg_catalog.<=) 1
    UNION ALL
    -- what an aggregate calls for each row, at the end, as a window moves, and between workers
    SELECT c.place, false, stage.is_made_by_users('pg_proc', p.oid), p.pronamespace, s.function
    FROM call c
    JOIN pg_catalog.pg_proc p ON p.proname OPERATOR(pg_catalog.=) c.name AND p.prokind OPERATOR(pg_catalog.=) 'a'
    JOIN pg_catalog.pg_aggregate a ON a.aggfnoid::pg_catalog.oid OPERATOR(pg_catalog.=) p.oid
    CROSS JOIN LATERAL pg_catalog.unnest(ARRAY[a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggserialfn, a.aggdeserialfn, a.aggmtransfn,
      a.aggminvtransfn, a.aggmfinalfn]::pg_catalog.oid[]) s(function)
    WHERE c.kind OPERATOR(pg_catalog.=) ANY ('{function,field}'::pg_catalog.text[]) AND p.oid OPERATOR(pg_catalog.>=) 16384::pg_catalog.oid
    UNION ALL
    SELECT c.place, false, stage.is_made_by_users('pg_operator', o.oid), o.oprnamespace, o.oprcode::pg_catalog.oid
    FROM call c JOIN pg_catalog.pg_operator o ON o.oprname OPERATOR(pg_catalog.=) c.name
    WHERE c.kind OPERATOR(pg_catalog.=) 'operator'
    UNION ALL
    -- what becomes a domain is checked, also within an array or a row; any type may have casts that are functions, and is read and written by functions
    SELECT c.place, false, f.is_made, t.typnamespace, f.function
    FROM call c
    JOIN pg_catalog.pg_type t ON t.typname OPERATOR(pg_catalog.=) c.name
    CROSS JOIN LATERAL (
      SELECT s.castfunc, stage.is_made_by_users('pg_cast', s.oid) FROM pg_catalog.pg_cast s
      WHERE s.casttarget OPERATOR(pg_catalog.=) t.oid OR s.castsource OPERATOR(pg_catalog.=) t.oid
      UNION ALL SELECT x.function, stage.is_made_by_users('pg_type', k.contypid)
      FROM stage.types_in(ARRAY[t.oid]) d(type)
      JOIN pg_catalog.pg_constraint k ON k.contypid OPERATOR(pg_catalog.=) d.type
      CROSS JOIN LATERAL (
        SELECT r.function FROM stage.referenced_functions('pg_constraint', ARRAY[k.oid]) r UNION SELECT stage.called_in(k.conbin::pg_catalog.text)
      ) x(function)
      UNION ALL SELECT x.function, true FROM pg_catalog.unnest(ARRAY[t.typinput, t.typoutput, t.typreceive, t.typsend, t.typmodin,
        t.typmodout]::pg_catalog.oid[]) x(function)
      WHERE t.typtype OPERATOR(pg_catalog.=) 'b' AND stage.is_made_by_users('pg_type', t.oid)
    ) f(function, is_made)
    WHERE c.kind OPERATOR(pg_catalog.=) 'type'
  ), found AS (
    SELECT c.place, s.nspname AS schema, p.proname AS name, k.schema AS known_schema, k.name AS known_name, c.is_named, c.is_made,
      o.nspname OPERATOR(pg_catalog.=) ANY (n.schemas) AS is_found, n.schema IS NULL AS is_bare,
      coalesce(k.volatility, p.provolatile) OPERATOR(pg_catalog.=) 'v' AS is_volatile,
      coalesce(k.volatility, p.provolatile) OPERATOR(pg_catalog.=) 'i' AS is_immutable,
      -- what is written in C is none, aggregates aside: to ask of each candidate would take longer than all the rest
      (p.prokind OPERATOR(pg_catalog.=) 'a' OR l.lanname OPERATOR(pg_catalog.<>) ALL ('{internal,c}'::pg_catalog.name[]))
        AND stage.is_user_code(p.oid) AS is_code,
      l.lanname OPERATOR(pg_catalog.=) ANY ('{internal,c}'::pg_catalog.name[]) AS is_compiled,
      k.is_extension OR stage.is_of_extension('pg_proc', p.oid) AS is_extension
    FROM candidate c
    JOIN call n ON n.place OPERATOR(pg_catalog.=) c.place
    JOIN pg_catalog.pg_namespace o ON o.oid OPERATOR(pg_catalog.=) c.namespace
    JOIN pg_catalog.pg_proc p ON p.oid OPERATOR(pg_catalog.=) c.function
    JOIN pg_catalog.pg_namespace s ON s.oid OPERATOR(pg_catalog.=) p.pronamespace
    JOIN pg_catalog.pg_language l ON l.oid OPERATOR(pg_catalog.=) p.prolang
    LEFT JOIN LATERAL (
      SELECT * FROM stage.known_function(p.prolang, p.prosrc, p.probin) WHERE l.lanname OPERATOR(pg_catalog.=) ANY ('{internal,c}'::pg_catalog.name[])
        AND stage.is_made_by_users('pg_proc', p.oid)
      OFFSET 0  -- so that it is looked for there alone
    ) k ON true
    WHERE n.schema IS NULL OR o.nspname OPERATOR(pg_catalog.=) n.schema
  )
  SELECT DISTINCT f.place, f.schema::pg_catalog.text, f.name::pg_catalog.text, f.known_schema::pg_catalog.text, f.known_name::pg_catalog.text,
    f.is_named, f.is_made, f.is_found, f.is_volatile, f.is_immutable, f.is_code, f.is_compiled, coalesce(f.is_extension, false)
  FROM found f
  WHERE CASE WHEN f.is_found THEN f.is_named OR f.is_volatile OR f.is_code OR f.is_made
             ELSE f.is_bare AND (f.is_named AND (f.is_compiled AND f.is_volatile OR f.is_extension) OR f.is_made AND f.is_compiled) END
$$;
