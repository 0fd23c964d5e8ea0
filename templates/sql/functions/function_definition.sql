-- Returns the functions of one name as one JSON object (see Definition in src/overlay/functions/function-script.ts); NULL unless they are
-- all in one schema, or none of them has a body to follow: those of the server, and those of extensions that are compiled or immutable.
CREATE OR REPLACE FUNCTION stage.function_definition(p_name jsonb, p_path oid[]) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
  SELECT jsonb_build_object('namespace', min(p.pronamespace::int8), 'schema', min(n.nspname::text), 'name', min(p.proname::text),
    'isNative', bool_and(x.is_native), 'functions', jsonb_agg(jsonb_build_object(
      'oid', p.oid::int8,
      'isProcedure', p.prokind = 'p',
      'isVolatile', p.provolatile = 'v',
      'gives', (SELECT CASE count(*) WHEN 0 THEN 'void' WHEN 1 THEN min(format_type(a.type, NULL)) END
        FROM unnest(p.proallargtypes, p.proargmodes) a(type, mode) WHERE a.mode IN ('b', 'o')),
      'language', l.lanname,
      'obstacle', CASE
        WHEN p.oid < 16384 OR l.lanname NOT IN ('sql', 'plpgsql') THEN 'is not written in SQL or PL/pgSQL'
        WHEN p.prokind NOT IN ('f', 'p') THEN 'is no plain function'
        WHEN p.prosecdef AND stage.definer_obstacle(p.proowner, p.proconfig) IS NOT NULL THEN stage.definer_obstacle(p.proowner, p.proconfig)
        WHEN stage.settings_obstacle(p.proconfig) IS NOT NULL THEN stage.settings_obstacle(p.proconfig)
        WHEN x.is_bound AND p.prosecdef AND stage.calls_by_path(p.oid) THEN 'calls functions with no search_path of their own'
        ELSE stage.types_obstacle(p) END,
      'arguments', stage.staged_arguments(p, false),
      'rows', stage.rows_taken(p),
      'scalars', (SELECT coalesce(jsonb_agg(DISTINCT format_type(a.type, NULL)), '[]')
        FROM unnest(coalesce(p.proallargtypes, p.proargtypes::oid[]) || p.prorettype) a(type)
        JOIN pg_type b ON b.oid = (stage.base_type(a.type, NULL)).type WHERE a.type >= 16384 AND b.typtype <> 'c'),
      'defaults', pg_get_expr(p.proargdefaults, 0),
      'result', CASE WHEN r.relation IS NULL THEN pg_get_function_result(p.oid) END,
      'isSet', p.proretset,
      'row', CASE WHEN r.relation IS NOT NULL THEN (
        SELECT jsonb_build_object('relation', r.relation::int8, 'schema', tn.nspname, 'name', t.typname)
        FROM pg_namespace tn WHERE tn.oid = t.typnamespace) END,
      'options', concat_ws(' ',
        CASE p.provolatile WHEN 'i' THEN 'IMMUTABLE' WHEN 's' THEN 'STABLE' ELSE 'VOLATILE' END,
        CASE WHEN p.proisstrict THEN 'STRICT' END,
        CASE p.proparallel WHEN 's' THEN 'PARALLEL SAFE' WHEN 'r' THEN 'PARALLEL RESTRICTED' ELSE 'PARALLEL UNSAFE' END,
        'COST ' || p.procost::text,
        CASE WHEN p.proretset THEN 'ROWS ' || p.prorows::text END),
      'path', coalesce(stage.own_path(p.proconfig)
        -- guard: a client chooses no schema for what is bound already and runs with an owner's rights
        , CASE WHEN x.is_bound AND p.prosecdef THEN '["pg_catalog"]'::jsonb END
        ),
      'definer', CASE WHEN p.prosecdef THEN jsonb_build_object(
        'role', p.proowner::int8,
        'name', pg_get_userbyid(p.proowner),
        'version', (SELECT v.xmin::text FROM pg_proc v WHERE v.oid = p.oid),
        'signature', stage.staged_arguments(p, true),
        'callers', (SELECT coalesce(jsonb_agg(DISTINCT CASE WHEN a.grantee <> 0 THEN pg_get_userbyid(a.grantee) END), '[]')
          FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a WHERE a.privilege_type = 'EXECUTE')) END,
      'body', stage.function_body(p)) ORDER BY p.oid))
  FROM stage.functions_named(p_name, p_path) p
  JOIN pg_namespace n ON n.oid = p.pronamespace
  JOIN pg_language l ON l.oid = p.prolang
  JOIN pg_type t ON t.oid = p.prorettype
  CROSS JOIN LATERAL (SELECT p.oid < 16384 OR (l.lanname IN ('c', 'internal') OR p.provolatile = 'i') AND stage.is_of_extension('pg_proc', p.oid), p.prosqlbody IS NOT NULL) x (is_native, is_bound)
  CROSS JOIN LATERAL (SELECT CASE WHEN p.prorettype >= 16384 THEN stage.row_relation(p.prorettype) END) r (relation)
  HAVING count(DISTINCT p.pronamespace) = 1 OR bool_and(x.is_native)
$$;
