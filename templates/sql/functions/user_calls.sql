-- Returns what users have made that a statement may call without a name that shows it, where the functions behind it may do more than
-- compute: [{"kind": "function" | "operator" | "type" | "cast" | "relation", "name": text}, ...]. These are operators, domains and types;
-- casts, of which those of kind "cast" are called by no name at all; aggregates, which are called as functions; functions that have the
-- name of one of the server's, or that are called as a column of a row; views, and tables with policies. Called when stage.user_calls_stamp
-- has changed.
CREATE OR REPLACE FUNCTION stage.user_calls() RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
  WITH RECURSIVE own(schema) AS MATERIALIZED (
    SELECT n.oid FROM pg_namespace n WHERE stage.is_own_schema(n.oid)
  ), function AS MATERIALIZED (
    SELECT p.* FROM pg_proc p WHERE p.oid >= 16384 AND NOT EXISTS (SELECT FROM own o WHERE o.schema = p.pronamespace)
  ), checked(domain, function) AS MATERIALIZED (
    SELECT k.contypid, x.function FROM pg_constraint k CROSS JOIN LATERAL stage.called_in(k.conbin::text) x(function)
    JOIN pg_proc p ON p.oid = x.function
    WHERE k.contypid >= 16384 AND (p.provolatile <> 'i' OR stage.is_made_by_users('pg_proc', p.oid))
  ), part(type, whole) AS MATERIALIZED (  -- the inverse of stage.types_in; not computed where no domain is checked
    SELECT x.type, t.oid FROM pg_type t CROSS JOIN unnest(ARRAY[t.typbasetype, t.typelem]) x(type) WHERE x.type >= 16384
    UNION ALL
    SELECT a.atttypid, t.oid FROM pg_attribute a JOIN pg_type t ON t.typrelid = a.attrelid WHERE a.atttypid >= 16384 AND a.attnum > 0
    UNION ALL
    SELECT r.rngsubtype, x.whole FROM pg_range r CROSS JOIN unnest(ARRAY[r.rngtypid, r.rngmultitypid]) x(whole) WHERE r.rngsubtype >= 16384
  ), containing(domain, type) AS (
    SELECT d.domain, d.domain FROM checked d
    UNION
    SELECT c.domain, p.whole FROM containing c JOIN part p ON p.type = c.type
  ), made(kind, name, function) AS (
    SELECT 'operator', o.oprname, o.oprcode::oid FROM pg_operator o WHERE stage.is_made_by_users('pg_operator', o.oid)
    UNION ALL
    SELECT 'function', p.proname, s.function FROM pg_aggregate a JOIN pg_proc p ON p.oid = a.aggfnoid
    CROSS JOIN LATERAL stage.called_by_aggregate(p.oid) s(function)
    WHERE a.aggfnoid::oid >= 16384 AND stage.is_made_by_users('pg_proc', a.aggfnoid)
    UNION ALL
    SELECT CASE k.castcontext WHEN 'e' THEN 'type' ELSE 'cast' END, t.typname, k.castfunc FROM pg_cast k JOIN pg_type t ON t.oid = k.casttarget
    WHERE stage.is_made_by_users('pg_cast', k.oid)
    UNION ALL
    SELECT 'type', t.typname, x.function FROM pg_type t
    CROSS JOIN unnest(ARRAY[t.typinput, t.typoutput, t.typreceive, t.typsend, t.typmodin, t.typmodout]::oid[]) x(function)
    WHERE t.oid >= 16384 AND t.typtype = 'b' AND t.typelem = 0 AND stage.is_made_by_users('pg_type', t.oid)
    UNION ALL
    -- a domain's checks run where a value is converted to it, alone or within another value
    SELECT 'type', t.typname, d.function
    FROM checked d JOIN containing c ON c.domain = d.domain JOIN pg_type t ON t.oid = c.type
    UNION ALL
    SELECT 'function', p.proname, p.oid FROM function p
    WHERE (EXISTS (SELECT FROM pg_proc s WHERE s.proname = p.proname AND s.oid < 16384)
        OR p.pronargs >= 1 AND p.pronargs - p.pronargdefaults <= 1
          AND EXISTS (SELECT FROM pg_type t WHERE t.oid = p.proargtypes[0] AND t.typtype IN ('c', 'p', 'd')))
      AND stage.is_made_by_users('pg_proc', p.oid)
  )
  SELECT coalesce(jsonb_agg(DISTINCT jsonb_build_object('kind', c.kind, 'name', c.name)), '[]')
  FROM (
    SELECT m.kind, m.name FROM made m JOIN pg_proc f ON f.oid = m.function WHERE f.oid >= 16384 OR f.provolatile <> 'i'
    UNION ALL
    SELECT 'relation', c.relname FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
    WHERE r.oid >= 16384 AND r.ev_type = '1' AND c.relkind = 'v' AND NOT EXISTS (SELECT FROM own o WHERE o.schema = c.relnamespace)
      AND stage.is_made_by_users('pg_class', c.oid)
    UNION ALL
    SELECT 'relation', c.relname FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid WHERE NOT EXISTS (SELECT FROM own o WHERE o.schema = c.relnamespace)
  ) c
$$;
