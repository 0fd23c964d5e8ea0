-- Whether a role could write to any relation outside the service's own schemas, by SET ROLE or by code, too: false is what spares
-- stage.refuse_written_outside the look at the locks. What is written to the catalogs is counted all the same, so rights to create, to
-- own or to grant do not matter here. Other servers, and programs, that a function gets to are left aside.
-- The answer holds for the moment at which the running transaction began, and while nobody changes rights. It takes 1 to 2 ms
-- where there are 100 tables; where there are 10,000 the answer no takes 30 to 45 ms: not to be asked for each COMMIT.
CREATE OR REPLACE FUNCTION stage.may_write(p_role name DEFAULT session_user) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  -- 0 stands for PUBLIC
  v_roles oid[] := ARRAY(SELECT r.oid FROM pg_roles r WHERE pg_has_role(p_role, r.oid, 'MEMBER')) || 0::oid;
  v_skipped oid[] := ARRAY(SELECT n.oid FROM pg_namespace n
    WHERE n.nspname = 'pg_catalog' OR starts_with(n.nspname, 'stage') AND stage.is_own_schema(n.oid));
BEGIN
  RETURN EXISTS (SELECT FROM pg_roles r WHERE r.oid = ANY (v_roles) AND (r.rolsuper OR r.rolname = 'pg_write_all_data'))
    -- tables and views: who owns one may write, or may take the right to; without rights of its own it is nobody else's
    OR EXISTS (
      SELECT FROM pg_class c
      WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relnamespace <> ALL (v_skipped) AND (c.relowner = ANY (v_roles)
        OR c.relacl IS NOT NULL AND EXISTS (SELECT FROM unnest(v_roles) r(oid)
          WHERE r.oid <> 0 AND has_table_privilege(r.oid, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE'))))
    -- the owner's rights, by a function that the role may call
    OR EXISTS (
      SELECT FROM pg_proc p CROSS JOIN LATERAL aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
      WHERE p.oid >= 16384 AND p.prosecdef AND p.pronamespace <> ALL (v_skipped)
        AND (a.grantee = ANY (v_roles) OR p.proowner = ANY (v_roles)))
    -- the service's rights: checks, operators and the like of what is staged run with them, and so does code that stands in them.
    -- What only triggers call is left to production.
    OR EXISTS (
      SELECT FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
      WHERE p.oid >= 16384 AND l.lanname NOT IN ('internal', 'c') AND p.pronamespace <> ALL (v_skipped)
        AND EXISTS (SELECT FROM pg_depend d
          WHERE d.refclassid = 'pg_proc'::regclass AND d.refobjid = p.oid AND d.classid <> 'pg_trigger'::regclass))
    OR EXISTS (
      SELECT FROM pg_attribute c
      CROSS JOIN LATERAL aclexplode(c.attacl) a
      WHERE c.attacl IS NOT NULL AND a.grantee = ANY (v_roles) AND a.privilege_type IN ('INSERT', 'UPDATE')
        AND (SELECT t.relnamespace FROM pg_class t WHERE t.oid = c.attrelid) <> ALL (v_skipped));
END $$;
