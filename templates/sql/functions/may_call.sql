-- Returns whether a role may call the functions from which staged functions were made, and use the schemas in which these find names.
-- p_uses, p_path: as in stage.function_stamp. What is called with the rights of an owner is checked with these.
CREATE OR REPLACE FUNCTION stage.may_call(p_uses jsonb, p_path oid[], p_role oid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT NOT EXISTS (
      SELECT FROM jsonb_array_elements(p_uses -> 'functions') u(name) CROSS JOIN LATERAL stage.functions_named(u.name, p_path) p
      CROSS JOIN LATERAL (SELECT coalesce((u.name -> 'role')::int8::oid, p_role)) r(role)
      -- guard: a staged function is called with the rights that its function demands
      WHERE NOT (has_function_privilege(r.role, p.oid, 'EXECUTE') AND has_schema_privilege(r.role, p.pronamespace, 'USAGE')))
    AND NOT EXISTS (
      SELECT FROM jsonb_array_elements((p_uses -> 'relations') || (p_uses -> 'functions')) u(name)
      JOIN pg_namespace n ON u.name -> 'path' ? n.nspname OR u.name ? 'role' AND NOT u.name ? 'path' AND u.name ->> 'schema' IS NULL AND n.oid = ANY (p_path)
      -- guard: a function with a path of its own, or with its owner's rights, passes over schemas that the role may not use
      WHERE NOT has_schema_privilege(coalesce((u.name -> 'role')::int8::oid, p_role), n.oid, 'USAGE'))
$$;
