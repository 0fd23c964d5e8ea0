-- Returns the staged functions for the functions that a staged read calls, on the caller's connection. p_names: [{"schema": null | text,
-- "name": text}, ...]; p_schemas: the caller's current_schemas(true). The result has the schemas' OIDs, and an entry for each name, in
-- order: "code": some function of the name is written in SQL or PL/pgSQL, so that it may read tables; "rows": those that
-- its functions take, as stage.rows_taken returns them; "parked": staged rows of a relation that it reads are orphaned; "isKnown": the relations
-- that it reads were examined before, and have not changed; "isVolatile": one of the functions is; "schema": of the staged functions to
-- call, if there are any; "writes": these write, so that only a staged write calls them; "notifies": they notify; "isHarmless": they have no
-- effects, so that a staged write may call them; "computes": they are for staged writes only, because the functions read no table;
-- "written": the tables, by their full names; "hidden": a temporary relation of the connection hides a table that they name, so that they
-- would not find it; "obstacle": why there are no staged functions.
CREATE OR REPLACE FUNCTION stage.resolve_functions(p_names jsonb, p_schemas name[]) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off SET plan_cache_mode = force_generic_plan AS $$
  WITH path(oids) AS (
    SELECT ARRAY(SELECT n.oid FROM unnest(p_schemas) WITH ORDINALITY s(name, place) JOIN pg_namespace n ON n.nspname = s.name
      WHERE n.nspname !~ '^pg_(toast_)?temp' ORDER BY s.place)
  ), called AS (
    SELECT n.place, coalesce(bool_or(l.lanname IN ('sql', 'plpgsql') AND p.oid >= 16384), false) AS code,
      coalesce(jsonb_agg(r.rows) FILTER (WHERE r.rows IS NOT NULL), '[]') AS rows,
      coalesce(bool_or(p.provolatile = 'v'), false) AS volatile,
      CASE WHEN count(DISTINCT p.pronamespace) = 1 THEN min(p.pronamespace::int8)::oid END AS namespace, n.name ->> 'name' AS name,
      CASE WHEN NOT bool_or(p.oid >= 16384 AND p.provolatile = 'v') THEN NULL
        WHEN count(DISTINCT p.pronamespace) > 1 THEN 'is in several schemas of search_path'
        WHEN NOT bool_or(l.lanname IN ('sql', 'plpgsql')) THEN 'is not written in SQL or PL/pgSQL' END AS obstacle
    FROM path CROSS JOIN jsonb_array_elements(p_names) WITH ORDINALITY n(name, place)
    LEFT JOIN LATERAL stage.functions_named(n.name, path.oids) p ON true
    LEFT JOIN pg_language l ON l.oid = p.prolang
    LEFT JOIN LATERAL jsonb_array_elements(CASE WHEN p.oid >= 16384 THEN stage.rows_taken(p) END) r(rows) ON true
    GROUP BY n.place, n.name
  )
  SELECT jsonb_build_object('path', to_jsonb(path.oids::int8[]), 'functions', (
    SELECT jsonb_agg(jsonb_build_object(
      'code', c.code AND c.namespace IS NOT NULL,
      'rows', c.rows,
      'isKnown', t.id IS NOT NULL,
      'isVolatile', c.volatile,
      'parked', t.id IS NOT NULL AND EXISTS (
        SELECT FROM jsonb_array_elements(t.uses -> 'relations') u(name) WHERE stage.has_parked(stage.relation_in(u.name, path.oids), false)),
      'writes', coalesce((t.uses -> 'writes')::boolean, false),
      'notifies', coalesce((t.uses -> 'notifies')::boolean, false),
      'isHarmless', coalesce((t.uses -> 'isHarmless')::boolean, false),
      'computes', coalesce((t.uses -> 'computes')::boolean, false),
      'written', coalesce(t.uses -> 'written', '[]'),
      'hidden', h.relation,
      'obstacle', coalesce(t.obstacle, c.obstacle),
      'schema', CASE WHEN t.obstacle IS NULL AND stage.may_call(t.uses, path.oids, (SELECT r.oid FROM pg_roles r WHERE r.rolname = current_user))
        THEN 'stage_function_' || CASE
          WHEN NOT coalesce((t.uses -> 'asOwner')::boolean, false) OR (t.uses -> 'writes')::boolean THEN t.id
          -- guard: what reads with the rights of an owner is left to production if the session has rows that must not decide what it shows
          WHEN h.relation IS NULL AND stage.may_read_as_owner(t.uses -> 'relations', path.oids) THEN t.id
          ELSE (t.uses ->> 'leaving')::bigint END END) ORDER BY c.place)
    FROM called c
    LEFT JOIN stage.staged_function t ON c.code AND t.namespace = c.namespace AND t.name = c.name AND t.path = path.oids
      AND t.stamp = stage.function_stamp(t.uses, path.oids)
    CROSS JOIN LATERAL (
      SELECT min(v.relname) FROM pg_class v JOIN jsonb_array_elements(t.uses -> 'relations') u(name) ON v.relname = (u.name ->> 'name')::name
      WHERE v.relnamespace = pg_my_temp_schema() AND u.name ->> 'schema' IS NULL) h(relation)))
  FROM path
$$;
