-- Returns why a function with these settings has no copy that runs with the rights of its owner, as the end of "function ..."; NULL if it
-- may have one.
CREATE OR REPLACE FUNCTION stage.definer_obstacle(p_owner oid, p_config text[]) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE
    WHEN NOT stage.may_act_as(p_owner) THEN format('runs with its owner''s rights, and the service account may not act as %I', r.rolname)
    -- guard: no copy runs with the rights of the service account
    WHEN NOT r.rolsuper AND pg_has_role(p_owner, n.nspowner, 'MEMBER') OR p_owner = n.nspowner THEN 'runs with its owner''s rights, which are those of the service account'
    -- guard: a client chooses no schema in which a superuser's function finds names
    WHEN r.rolsuper AND stage.own_path(p_config) IS NULL THEN 'runs with its owner''s rights, those of a superuser, with no search_path of its own' END
  FROM pg_roles r, pg_namespace n WHERE r.oid = p_owner AND n.nspname = 'stage'
$$;
