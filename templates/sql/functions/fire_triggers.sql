-- Resets a session_replication_role of replica until the transaction ends, wherever it was set. It would silence the triggers by which rows
-- are staged, checked and applied: triggers of views, unlike those of tables, cannot be ENABLE ALWAYS.
CREATE OR REPLACE FUNCTION stage.fire_triggers() RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF pg_catalog.current_setting('session_replication_role') OPERATOR(pg_catalog.<>) 'replica' THEN RETURN; END IF;
  PERFORM pg_catalog.set_config('session_replication_role', 'origin', true);
EXCEPTION WHEN insufficient_privilege THEN
  RAISE EXCEPTION 'cannot stage or apply anything while session_replication_role is replica' USING ERRCODE = 'object_not_in_prerequisite_state',
    HINT = 'Have a superuser run ALTER ROLE or ALTER DATABASE ... RESET session_replication_role, then connect again.';
END $$;
