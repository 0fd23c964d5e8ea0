-- Returns whether the text that runs in place of a DO block is still right on the caller's connection, and may run there. p_uses: what the
-- block names, as in stage.staged_function; p_stamp: the stamp of the definitions that the text was made from; p_schemas:
-- current_schemas(true). The result has the schemas' OIDs ("path"); "isCurrent": the stamp still fits; "parked": staged rows of a relation
-- that it reads are orphaned; "hidden": a temporary relation of the connection hides a table that it names; "denied": a function that it
-- calls, or a schema in a search path of its functions, that the role may not use.
CREATE OR REPLACE FUNCTION stage.resolve_block(p_uses jsonb, p_stamp text, p_schemas name[]) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
  WITH path(oids) AS (
    SELECT ARRAY(SELECT n.oid FROM unnest(p_schemas) WITH ORDINALITY s(name, place) JOIN pg_namespace n ON n.nspname = s.name
      WHERE n.nspname !~ '^pg_(toast_)?temp' ORDER BY s.place)
  )
  SELECT jsonb_build_object('path', to_jsonb(path.oids::int8[]),
    'isCurrent', p_stamp = stage.function_stamp(p_uses, path.oids),
    'parked', EXISTS (SELECT FROM jsonb_array_elements(p_uses -> 'relations') u(name) WHERE stage.has_parked(stage.relation_in(u.name, path.oids), false)),
    'hidden', (SELECT min(v.relname) FROM pg_class v JOIN jsonb_array_elements(p_uses -> 'relations') u(name) ON v.relname = (u.name ->> 'name')::name
      WHERE v.relnamespace = pg_my_temp_schema() AND u.name ->> 'schema' IS NULL),
    'denied', coalesce(
      (SELECT 'function ' || min(p.proname) FROM jsonb_array_elements(p_uses -> 'functions') u(name) CROSS JOIN LATERAL stage.functions_named(u.name, path.oids) p
        CROSS JOIN LATERAL (SELECT coalesce((u.name -> 'role')::int8::oid, (SELECT r.oid FROM pg_roles r WHERE r.rolname = current_user))) r(role)
        -- guard: a block calls what the role may call
        WHERE NOT (has_function_privilege(r.role, p.oid, 'EXECUTE') AND has_schema_privilege(r.role, p.pronamespace, 'USAGE'))),
      (SELECT 'schema ' || min(n.nspname) FROM jsonb_array_elements((p_uses -> 'relations') || (p_uses -> 'functions')) u(name)
        CROSS JOIN LATERAL jsonb_array_elements_text(u.name -> 'path') s(name) JOIN pg_namespace n ON n.nspname = s.name
        WHERE NOT has_schema_privilege(coalesce((u.name -> 'role')::int8::oid, (SELECT r.oid FROM pg_roles r WHERE r.rolname = current_user)), n.oid, 'USAGE'))))
  FROM path
$$;
