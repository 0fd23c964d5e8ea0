-- Returns whether the service account may act as a role. It is the owner of the schema stage: clients call this, too.
CREATE OR REPLACE FUNCTION stage.may_act_as(p_role oid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT pg_has_role(n.nspowner, p_role, CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END)
  FROM pg_namespace n WHERE n.nspname = 'stage'
$$;
