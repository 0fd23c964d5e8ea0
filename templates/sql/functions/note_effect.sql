-- AFTER INSERT trigger of a shadow table: records for which row, by which trigger of production, a row was written. The settings that name
-- these may come from a direct connection.
CREATE OR REPLACE FUNCTION stage.note_effect() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_relation oid := substr(TG_TABLE_NAME, 8);
  -- 0 if the row is not staged yet, because a BEFORE trigger writes
  v_cause bigint := coalesce(nullif(current_setting('stage.cause'), '')::bigint, 0);
  v_cause_relation oid := current_setting('stage.cause_relation');
  v_trigger text := current_setting('stage.trigger');
  v_is_staged boolean := current_setting('stage.cause') = '';
BEGIN
  IF NOT v_is_staged THEN
    EXECUTE format('SELECT EXISTS (SELECT FROM stage_data.shadow_%s WHERE _stage_session = $1 AND _stage_seq = $2)', v_cause_relation)
    INTO v_is_staged USING NEW._stage_session, v_cause;
  END IF;
  -- guard: only a trigger that fires while staging writes rows, for rows of its session and to the tables that its body names
  IF NOT v_is_staged OR NOT EXISTS (
    SELECT FROM stage.overlay o CROSS JOIN jsonb_array_elements(o.trigger_uses -> 'written') n (name)
    WHERE o.relation = v_cause_relation AND starts_with(n.name ->> 'operation', NEW._stage_op::text)
      AND EXISTS (SELECT FROM jsonb_array_elements(o.triggers) r(report) WHERE r.report ->> 'name' = v_trigger AND stage.fires(r.report))
      AND stage.relation_in(n.name, o.trigger_path) = v_relation)
  THEN
    -- the snapshot of the transaction may be older than the overlay that fires the trigger
    IF v_is_staged AND current_setting('transaction_isolation') NOT LIKE 'read %' THEN PERFORM stage.raise_altered(v_cause_relation); END IF;
    RAISE EXCEPTION 'permission denied: no trigger "%" writes to this table for the row', v_trigger USING ERRCODE = 'insufficient_privilege';
  END IF;
  INSERT INTO stage.effect (session, seq, root, relation, cause, cause_relation, trigger, definition)
  VALUES (NEW._stage_session, NEW._stage_seq, coalesce(NEW._stage_root, NEW._stage_seq), v_relation, v_cause, v_cause_relation, v_trigger, stage.trigger_definition(v_cause_relation, v_trigger));
  -- a trigger that fires for a statement writes for all of its rows: what it writes first ties these together
  IF coalesce(current_setting('stage.causes', true), '') <> '' THEN
    EXECUTE format($q$
      INSERT INTO stage.effect (session, seq, root, relation, cause, cause_relation, trigger, definition)
      SELECT e.session, nextval('stage.seq'), e.root, e.relation, c.root, e.cause_relation, e.trigger, e.definition
      FROM stage.effect e CROSS JOIN unnest($3::bigint[]) c (root)
      WHERE e.session = $1 AND e.seq = $2 AND c.root <> e.cause
        -- settings may come from a direct connection
        AND EXISTS (SELECT FROM stage_data.shadow_%s s WHERE s._stage_session = $1 AND s._stage_seq = c.root)
      $q$, v_cause_relation)
    USING NEW._stage_session, NEW._stage_seq, current_setting('stage.causes');
    PERFORM set_config('stage.causes', '', true);
  END IF;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION stage.note_effect() FROM PUBLIC;
