-- Returns whether the checks or the default of any domain run user code.
CREATE OR REPLACE FUNCTION stage.domains_run_code() RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM (
      SELECT f.function FROM stage.referenced_functions('pg_constraint', ARRAY(SELECT k.oid FROM pg_constraint k WHERE k.contypid <> 0)) f
      UNION ALL SELECT f.function FROM stage.referenced_functions('pg_type',
        ARRAY(SELECT t.oid FROM pg_type t WHERE t.typtype = 'd' AND t.typdefaultbin IS NOT NULL)) f
    ) called
    WHERE stage.is_user_code(called.function));
END $$;
