-- Returns the objects of users that a statement may call without a name that shows it, if the functions behind them may do more than
-- compute: [{"kind": "function" | "operator" | "type" | "cast" | "relation", "name": text}, ...]. These are operators, domains and types;
-- casts, of which those of kind "cast" are called by no name at all; aggregates, which are called as functions; functions that have the
-- name of one of the server's, or that are called as a column of a row; views, and tables with policies. Called when stage.user_calls_stamp
-- has changed. Each kind is read by a statement of its own, and only where the database has such objects: planning all of them takes a new
-- connection ten times as long as reading them.
CREATE OR REPLACE FUNCTION stage.user_calls() RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  v_own oid[] := ARRAY(SELECT n.oid FROM pg_namespace n WHERE stage.is_internal_schema(n.oid));
  v_made jsonb := '[]';
BEGIN
  IF EXISTS (SELECT FROM pg_operator o WHERE o.oid >= 16384) THEN
    v_made := v_made || (
      SELECT coalesce(jsonb_agg(jsonb_build_object('kind', 'operator', 'name', o.oprname)), '[]')
      FROM pg_operator o JOIN pg_proc f ON f.oid = o.oprcode
      WHERE stage.is_made_by_users('pg_operator', o.oid) AND (f.oid >= 16384 OR f.provolatile <> 'i'));
  END IF;
  IF EXISTS (SELECT FROM pg_aggregate a JOIN pg_proc p ON p.oid = a.aggfnoid WHERE a.aggfnoid::oid >= 16384 AND p.pronamespace <> ALL (v_own)) THEN
    v_made := v_made || (
      SELECT coalesce(jsonb_agg(jsonb_build_object('kind', 'function', 'name', p.proname)), '[]')
      FROM pg_aggregate a JOIN pg_proc p ON p.oid = a.aggfnoid
      CROSS JOIN LATERAL stage.called_by_aggregate(p.oid) s(function) JOIN pg_proc f ON f.oid = s.function
      WHERE a.aggfnoid::oid >= 16384 AND stage.is_made_by_users('pg_proc', a.aggfnoid) AND p.pronamespace <> ALL (v_own)
        AND (f.oid >= 16384 OR f.provolatile <> 'i'));
  END IF;
  IF EXISTS (SELECT FROM pg_cast k WHERE k.oid >= 16384) THEN
    v_made := v_made || (
      SELECT coalesce(jsonb_agg(jsonb_build_object('kind', CASE k.castcontext WHEN 'e' THEN 'type' ELSE 'cast' END, 'name', t.typname)), '[]')
      FROM pg_cast k JOIN pg_type t ON t.oid = k.casttarget JOIN pg_proc f ON f.oid = k.castfunc
      WHERE stage.is_made_by_users('pg_cast', k.oid) AND (f.oid >= 16384 OR f.provolatile <> 'i'));
  END IF;
  IF EXISTS (SELECT FROM pg_type t WHERE t.oid >= 16384 AND t.typtype = 'b' AND t.typelem = 0) THEN
    v_made := v_made || (
      SELECT coalesce(jsonb_agg(jsonb_build_object('kind', 'type', 'name', t.typname)), '[]')
      FROM pg_type t
      CROSS JOIN unnest(ARRAY[t.typinput, t.typoutput, t.typreceive, t.typsend, t.typmodin, t.typmodout]::oid[]) x(function)
      JOIN pg_proc f ON f.oid = x.function
      WHERE t.oid >= 16384 AND t.typtype = 'b' AND t.typelem = 0 AND stage.is_made_by_users('pg_type', t.oid)
        AND (f.oid >= 16384 OR f.provolatile <> 'i'));
  END IF;
  IF EXISTS (SELECT FROM pg_constraint k JOIN pg_type t ON t.oid = k.contypid WHERE k.contypid >= 16384 AND t.typnamespace <> ALL (v_own)) THEN
    v_made := v_made || stage.checked_types();
  END IF;
  IF EXISTS (SELECT FROM pg_proc p WHERE p.oid >= 16384 AND p.pronamespace <> ALL (v_own)) THEN
    v_made := v_made || (
      SELECT coalesce(jsonb_agg(jsonb_build_object('kind', 'function', 'name', p.proname)), '[]') FROM pg_proc p
      WHERE p.oid >= 16384 AND p.pronamespace <> ALL (v_own)
        AND (EXISTS (SELECT FROM pg_proc s WHERE s.proname = p.proname AND s.oid < 16384)
          OR p.pronargs >= 1 AND p.pronargs - p.pronargdefaults <= 1
            AND EXISTS (SELECT FROM pg_type t WHERE t.oid = p.proargtypes[0] AND t.typtype IN ('c', 'p', 'd')))
        AND stage.is_made_by_users('pg_proc', p.oid));
  END IF;
  IF EXISTS (SELECT FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class WHERE r.oid >= 16384 AND c.relnamespace <> ALL (v_own)) THEN
    v_made := v_made || (
      SELECT coalesce(jsonb_agg(jsonb_build_object('kind', 'relation', 'name', c.relname)), '[]')
      FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
      WHERE r.oid >= 16384 AND r.ev_type = '1' AND c.relkind = 'v' AND c.relnamespace <> ALL (v_own)
        AND stage.is_made_by_users('pg_class', c.oid));
  END IF;
  IF EXISTS (SELECT FROM pg_policy) THEN
    v_made := v_made || (
      SELECT coalesce(jsonb_agg(jsonb_build_object('kind', 'relation', 'name', c.relname)), '[]')
      FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid WHERE c.relnamespace <> ALL (v_own));
  END IF;
  RETURN (SELECT coalesce(jsonb_agg(DISTINCT e.made), '[]') FROM jsonb_array_elements(v_made) e(made));
END $$;
