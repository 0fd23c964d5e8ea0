-- Returns the newest version of the policy, none if none was ever set, and keeps it the newest until the transaction ends. Waits for at
-- most p_wait milliseconds for one that is being set.
DROP FUNCTION IF EXISTS stage.lock_policy(integer);
CREATE OR REPLACE FUNCTION stage.lock_policy(p_wait integer) RETURNS TABLE (version bigint, document jsonb, relations jsonb, registry oid)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_timeout text := current_setting('lock_timeout');
BEGIN
  PERFORM set_config('lock_timeout', p_wait::text, true);
  -- guard: no policy is set between the check of an approval and its end
  PERFORM FROM stage.policy_head FOR SHARE;
  PERFORM set_config('lock_timeout', v_timeout, true);
  -- by a snapshot that is newer than the lock
  RETURN QUERY SELECT p.version, p.document, p.relations, p.registry FROM stage.policy p ORDER BY p.version DESC LIMIT 1;
END $$;
REVOKE ALL ON FUNCTION stage.lock_policy(integer) FROM PUBLIC;
