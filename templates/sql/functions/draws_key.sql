-- Returns whether approval may give another key to a row that a trigger inserted while staging. p_seq: the number of the row.
CREATE OR REPLACE FUNCTION stage.draws_key(p_session uuid, p_relation oid, p_seq bigint) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_column record;
  v_value text;
  v_giver text;
BEGIN
  FOR v_column IN
    SELECT k ->> 'name' AS name, d.name IS NOT NULL AS may_be_drawn, coalesce(d.is_sure, false) AS is_drawn
    FROM jsonb_array_elements(stage.table_key(p_relation) -> 'key') k
    LEFT JOIN (stage.effect e CROSS JOIN LATERAL stage.drawn_columns(p_relation, e.cause_relation, e.trigger) d)
      ON e.session = p_session AND e.seq = p_seq AND d.name = k ->> 'name'
  LOOP
    IF v_column.is_drawn THEN RETURN true; END IF;
    EXECUTE format('SELECT format(''%%s'', s.%I) FROM stage_data.shadow_%s s WHERE s._stage_session = $1 AND s._stage_seq = $2', v_column.name, p_relation)
    INTO v_value USING p_session, p_seq;
    v_giver := stage.giver_of(p_session, p_seq, v_value);
    -- guard: a row whose key approval draws anew is not changed
    IF v_giver = 'trigger' OR v_giver IS NULL AND v_column.may_be_drawn THEN RETURN true; END IF;
  END LOOP;
  RETURN false;
END $$;
REVOKE ALL ON FUNCTION stage.draws_key(uuid, oid, bigint) FROM PUBLIC;
