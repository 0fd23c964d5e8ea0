-- Runs after a statement that stage.begin_tripwire preceded: it must not have changed anything but staged data, whatever its code did to
-- settings.
CREATE OR REPLACE FUNCTION stage.end_tripwire(p_nonce text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_seal text := current_setting('stage.seal', true);
  v_writes text := split_part(v_seal, ' ', 1);
BEGIN
  -- the triggers that stage may have been silenced (see stage.fire_triggers)
  -- guard: nobody but the proxy seals the counted writes
  -- guard: session_replication_role silences no trigger while a statement runs
  IF v_seal IS DISTINCT FROM concat_ws(' ', v_writes, stage.seal(p_nonce, v_writes)) OR current_setting('session_replication_role') = 'replica' THEN
    RAISE EXCEPTION 'cannot stage a statement that makes a function change settings of the staging service, or session_replication_role'
      USING ERRCODE = 'feature_not_supported', HINT = 'Nothing was written. Leave the function out.';
  END IF;
  PERFORM set_config('stage.catalog_writes', split_part(v_writes, '/', 1), true);
  -- guard: code cannot add its rows to those of event triggers
  PERFORM set_config('stage.logged_before', split_part(v_writes, '/', 2), true);
  PERFORM stage.refuse_written();
END $$;
