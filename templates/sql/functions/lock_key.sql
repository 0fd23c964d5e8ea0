-- Locks a key of the caller's session until the transaction ends: shared for those who refer to it, exclusive for whoever removes it.
-- PostgreSQL locks the referenced row; here that may be production's, which a session must not lock. A lock takes a place in memory that
-- the whole server shares: after about 240 locks a transaction takes no more, and approval checks the rest. p_again: a statement that
-- had to wait in order to refer to a key is run again, which puts its rows after those that it waited for, as approval replays them.
CREATE OR REPLACE FUNCTION stage.lock_key(p_scope text, p_key text, p_exclusive boolean, p_again boolean) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_lock bigint := hashtextextended(concat_ws('/', current_setting('stage.session'), p_scope, p_key), 0);
  v_locked text := coalesce(current_setting('stage.locked_keys', true), '');
  v_id text := v_lock || ' ';
BEGIN
  IF length(v_locked) > 5000 OR strpos(v_locked, 'x' || v_id) > 0 OR NOT p_exclusive AND strpos(v_locked, 's' || v_id) > 0 THEN RETURN; END IF;
  PERFORM set_config('stage.locked_keys', v_locked || CASE WHEN p_exclusive THEN 'x' ELSE 's' END || v_id, true);
  IF p_exclusive AND pg_try_advisory_xact_lock(v_lock) OR NOT p_exclusive AND pg_try_advisory_xact_lock_shared(v_lock) THEN RETURN; END IF;
  IF p_exclusive THEN PERFORM pg_advisory_xact_lock(v_lock); ELSE PERFORM pg_advisory_xact_lock_shared(v_lock); END IF;
  -- an older snapshot does not show the changes that were waited for
  IF p_again AND NOT p_exclusive OR current_setting('transaction_isolation') NOT LIKE 'read %' THEN PERFORM stage.raise_changed(); END IF;
END $$;
REVOKE ALL ON FUNCTION stage.lock_key(text, text, boolean, boolean) FROM PUBLIC;
