-- Returns a stamp of everything that staged functions were made from: the functions, the relations they name, and how these are staged.
-- p_uses: as in stage.staged_function; of triggers also "checked": the tables that they write to, and those that these refer to.
CREATE OR REPLACE FUNCTION stage.function_stamp(p_uses jsonb, p_path oid[]) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
  SELECT md5(concat_ws(' ',
    (SELECT string_agg(concat_ws('.', r.oid, stage.table_stamp(r.oid), stage.overlay_of(r.oid) IS NOT NULL, stage.is_stale(r.oid),
        (SELECT concat_ws('.', s.tree ->> 'signature' IS NOT NULL, s.tree ->> 'stale') FROM stage.tree_state(r.oid) s(tree))), ' ' ORDER BY n.place)
      FROM jsonb_array_elements((p_uses -> 'relations') || coalesce(p_uses -> 'checked', '[]')) WITH ORDINALITY n(name, place)
      CROSS JOIN LATERAL (SELECT coalesce(stage.relation_in(n.name, p_path), 0)) r(oid)),
    (SELECT string_agg(concat_ws('.', n.place, f.oid, f.xmin, f.power, f.types, f.body), ' ' ORDER BY n.place, f.oid)
      FROM jsonb_array_elements(p_uses -> 'functions') WITH ORDINALITY n(name, place)
      CROSS JOIN LATERAL (SELECT p.oid, (SELECT v.xmin FROM pg_proc v WHERE v.oid = p.oid),
        -- attributes and memberships of the owner decide whether there is a copy
        CASE WHEN p.prosecdef THEN (SELECT concat(o.rolsuper, o.rolbypassrls, stage.may_act_as(o.oid)) FROM pg_roles o WHERE o.oid = p.proowner) END,
        -- and so do casts of the types that it takes and gives, and checks of domains
        CASE WHEN EXISTS (SELECT FROM unnest(coalesce(p.proallargtypes, p.proargtypes::oid[]) || p.prorettype) a(type) WHERE a.type >= 16384) THEN stage.types_obstacle(p) END,
        -- a body in BEGIN ATOMIC changes when something in it is renamed
        CASE WHEN p.prosqlbody IS NOT NULL THEN stage.function_body(p) END
        FROM stage.functions_named(n.name, p_path) p) f(oid, xmin, power, types, body))))
$$;
