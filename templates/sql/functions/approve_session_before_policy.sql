-- Refuses the call of a daemon of an earlier release, which has fewer values: it does not know the policy, and would approve past it. The
-- class of the SQLSTATE makes such a daemon pass the message on to its caller.
DROP FUNCTION IF EXISTS stage.approve_session(uuid, text, text, text, boolean, jsonb);
CREATE OR REPLACE FUNCTION stage.approve_session(
  p_session uuid, p_approved_by text, p_approved_as text, p_digest text, p_refuses boolean DEFAULT NULL, p_voters jsonb DEFAULT NULL
) RETURNS jsonb
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'this daemon is of an earlier release than the schema "stage": it would approve past the policy'
    USING ERRCODE = 'operator_intervention', HINT = 'Update the daemon, or approve through one of the newer release.';
END $$;
REVOKE ALL ON FUNCTION stage.approve_session(uuid, text, text, text, boolean, jsonb) FROM PUBLIC;
