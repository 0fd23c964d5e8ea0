-- What users have made of operators, aggregates, casts, domains and types over functions in C that may do more than compute, asked once for each
-- connection: [{"kind": "function" | "operator" | "type" | "cast", "name": text}, ...]. An aggregate is called as a function; a cast
-- of kind "cast" is called by no name at all. It takes 50 to 100 us where there are none.
CREATE OR REPLACE FUNCTION stage.made_calls() RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
  SELECT coalesce(jsonb_agg(DISTINCT jsonb_build_object('kind', c.kind, 'name', c.name)), '[]')
  FROM (
    SELECT 'operator', o.oprname, o.oprcode::oid FROM pg_operator o WHERE stage.is_made_by_users('pg_operator', o.oid)
    UNION ALL
    SELECT 'function', p.proname, s.function FROM pg_aggregate a JOIN pg_proc p ON p.oid = a.aggfnoid
    CROSS JOIN unnest(ARRAY[a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggserialfn, a.aggdeserialfn, a.aggmtransfn, a.aggminvtransfn,
      a.aggmfinalfn]::oid[]) s(function)
    WHERE a.aggfnoid::oid >= 16384 AND stage.is_made_by_users('pg_proc', a.aggfnoid)
    UNION ALL
    SELECT CASE k.castcontext WHEN 'e' THEN 'type' ELSE 'cast' END, t.typname, k.castfunc FROM pg_cast k JOIN pg_type t ON t.oid = k.casttarget
    WHERE stage.is_made_by_users('pg_cast', k.oid)
    UNION ALL
    SELECT 'type', t.typname, x.function FROM pg_type t
    CROSS JOIN unnest(ARRAY[t.typinput, t.typoutput, t.typreceive, t.typsend, t.typmodin, t.typmodout]::oid[]) x(function)
    WHERE t.oid >= 16384 AND t.typtype = 'b' AND t.typelem = 0 AND stage.is_made_by_users('pg_type', t.oid)
    UNION ALL
    -- a domain's checks run where a value becomes one, by itself or in a value that holds it
    SELECT 'type', t.typname, d.function
    FROM (
      SELECT k.contypid AS domain, x.function FROM pg_constraint k CROSS JOIN LATERAL stage.called_in(k.conbin::text) x(function)
      JOIN pg_proc p ON p.oid = x.function JOIN pg_language l ON l.oid = p.prolang
      WHERE k.contypid >= 16384 AND l.lanname IN ('internal', 'c') AND (p.provolatile <> 'i' OR stage.is_made_by_users('pg_proc', p.oid))
      OFFSET 0  -- all types are gone through at each login, unless this finds none first
    ) d CROSS JOIN LATERAL (SELECT t.typname FROM pg_type t WHERE t.oid >= 16384 AND d.domain IN (SELECT stage.types_in(ARRAY[t.oid])) OFFSET 0) t
  ) c(kind, name, function)
  JOIN pg_proc f ON f.oid = c.function
  WHERE f.prolang IN (SELECT l.oid FROM pg_language l WHERE l.lanname IN ('internal', 'c')) AND (f.oid >= 16384 OR f.provolatile <> 'i')
$$;
