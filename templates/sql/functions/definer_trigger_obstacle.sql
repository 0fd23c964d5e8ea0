-- Returns why a trigger has no copy that runs with the rights of its function's owner, as the end of "trigger ..."; NULL if it may have one.
CREATE OR REPLACE FUNCTION stage.definer_trigger_obstacle(p_trigger oid) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(stage.definer_obstacle(p.proowner, p.proconfig), CASE
    -- the copy converts the row to the type of the table
    -- guard: checks of domains do not run with the rights of a trigger's owner
    WHEN stage.domains_run_code() AND EXISTS (
      SELECT FROM pg_attribute a WHERE a.attrelid = t.tgrelid AND a.attnum > 0 AND NOT a.attisdropped AND a.atttypid >= 16384)
      THEN 'runs with its owner''s rights for rows with types of users'
    -- its condition is evaluated with the rights of the service account
    -- guard: the condition of a trigger with its owner's rights does not depend on a role
    WHEN t.tgqual::text ~ 'SQLVALUEFUNCTION :op [0-9]+ :type 19 '
      OR EXISTS (SELECT FROM stage.called_in(t.tgqual::text) f(function) JOIN pg_proc c ON c.oid = f.function WHERE c.provolatile <> 'i' AND c.oid <> 'pg_trigger_depth()'::regprocedure)
      THEN 'runs with its owner''s rights and has a condition that may depend on the role'
    -- guard: default privileges give nobody the copy of a trigger with its owner's rights
    WHEN EXISTS (
      SELECT FROM pg_default_acl d CROSS JOIN LATERAL aclexplode(d.defaclacl) a CROSS JOIN pg_namespace n
      WHERE n.nspname = 'stage' AND d.defaclrole = n.nspowner AND d.defaclobjtype = 'f' AND a.grantee NOT IN (0, n.nspowner))
      THEN 'runs with its owner''s rights, and would have a copy that others may call' END)
  FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid WHERE t.oid = p_trigger
$$;
