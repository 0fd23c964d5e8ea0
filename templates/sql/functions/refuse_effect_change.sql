-- BEFORE UPDATE trigger of a shadow table: refuses a change of a row that a trigger of production inserted while rows were staged, if it may
-- get another key at approval, unless a trigger makes the change.
CREATE OR REPLACE FUNCTION stage.refuse_effect_change() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_is_inserted boolean := OLD._stage_op = 'I';
BEGIN
  -- the triggers of an overlay are one trigger deeper than a client's statement
  IF pg_trigger_depth() > 2 AND current_setting('stage.origin', true) = 'trigger' THEN RETURN NEW; END IF;
  IF OLD._stage_root IS NOT NULL THEN
    EXECUTE format('SELECT f._stage_op = ''I'' AND f._stage_origin::text = ''trigger'' FROM stage_data.%I f WHERE f._stage_session = $1 AND f._stage_seq = $2',
      TG_TABLE_NAME) INTO v_is_inserted USING OLD._stage_session, OLD._stage_root;
  END IF;
  -- guard: a row that a trigger inserted is not changed if production may give it another key
  IF v_is_inserted THEN PERFORM stage.refuse_effect(OLD._stage_session, substr(TG_TABLE_NAME, 8)::oid, coalesce(OLD._stage_root, OLD._stage_seq)); END IF;
  RETURN NEW;
END $$;
REVOKE ALL ON FUNCTION stage.refuse_effect_change() FROM PUBLIC;
