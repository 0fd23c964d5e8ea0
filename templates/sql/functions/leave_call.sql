-- Ends a statement that wrote while functions of the client's statement ran. Where it is the one that called them, its own statement and
-- mutation are in effect again: its log entry and the policy's check of its rows are still to come.
-- Called by the AFTER STATEMENT triggers. p_key as in stage.enter_call.
CREATE OR REPLACE FUNCTION stage.leave_call(p_key text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_callers jsonb := coalesce(nullif(current_setting('stage.callers', true), ''), '[]');
  v_caller jsonb := v_callers -> -1;
BEGIN
  IF v_caller ->> 0 = p_key THEN
    v_callers := v_callers - -1;
    PERFORM set_config('stage.callers', v_callers::text, true), set_config('stage.mutation', v_caller ->> 2, true),
      set_config('stage.mutations', v_caller ->> 2, true), set_config('stage.mutations_of', v_caller ->> 1, true),
      set_config('stage.statement', v_caller ->> 1, true), set_config('stage.ended', v_caller ->> 1, true);
    -- guard: the policy checks the rows of a write that has called functions
    IF coalesce(current_setting('stage.checked_tables', true), '') <> '' THEN PERFORM stage.note_checked(split_part(p_key, '_', 1), true); END IF;
  END IF;
  -- the rows of a write that is still open are staged by indexes
  IF v_callers <> '[]' THEN PERFORM set_config('enable_seqscan', 'off', true); END IF;
END $$;
REVOKE ALL ON FUNCTION stage.leave_call(text) FROM PUBLIC;
