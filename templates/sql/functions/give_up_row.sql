-- Records that the row for which BEFORE triggers of a table have fired is not staged, or is staged by another operation: production's
-- triggers do not fire for it at approval. So the rows that they wrote become changes of the client, which approval applies (see
-- stage.adopt_effects).
CREATE OR REPLACE FUNCTION stage.give_up_row(p_relation oid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_since bigint := nullif(current_setting('stage.fired_' || p_relation, true), '');
BEGIN
  IF v_since IS NULL THEN RETURN; END IF;
  PERFORM set_config('stage.fired_' || p_relation, '', true);
  UPDATE stage.effect e SET cause = -1
  WHERE e.session = current_setting('stage.session')::uuid AND e.cause = 0 AND e.cause_relation = p_relation AND e.seq > v_since;
  IF NOT FOUND THEN RETURN; END IF;
  -- guard: what a trigger writes for a row of another trigger is not applied as a change of the client
  IF pg_trigger_depth() > 1 AND current_setting('stage.origin', true) IN ('action', 'trigger') THEN
    RAISE EXCEPTION 'cannot stage what a trigger of "%" writes for a row that it suppresses, and that another trigger or a foreign key changes',
        (SELECT o.shown_name FROM stage.overlay o WHERE o.relation = p_relation)
      USING ERRCODE = 'feature_not_supported', HINT = 'Write the row by a statement of its own.';
  END IF;
  PERFORM set_config('stage.adopted', current_setting('stage.mutation'), true);
END $$;
