-- Returns who gave a value to a row that a trigger inserted while staging: `client` if it is one of the row for which the trigger fired, or a
-- row of production had it at first touch: approval gives the trigger the same row. `trigger` if only triggers gave it to that row. NULL if
-- it is none of its values. If a trigger inserted that row, too, the one for which this fired counts. p_seq: the number of the inserted row.
CREATE OR REPLACE FUNCTION stage.giver_of(p_session uuid, p_seq bigint, p_value text) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_effect record;
  v_given text;
  v_made text;
  v_found text;
  v_giver text;
BEGIN
  LOOP
    SELECT e.cause, e.cause_relation, t.tgtype & 1 = 1 AS is_of_row INTO v_effect
    FROM stage.effect e LEFT JOIN pg_trigger t ON t.tgrelid = e.cause_relation AND t.tgname = e.trigger
    WHERE e.session = p_session AND e.seq = p_seq;
    IF NOT FOUND THEN RETURN v_giver; END IF;
    -- format() writes a value by its type's own function, and needs no cast
    SELECT string_agg(format('format(''%%s'', CASE WHEN s._stage_given IS NOT DISTINCT FROM NULL %s THEN s.%2$I ELSE (s._stage_given).%2$I END)',
        -- a key that the client left to triggers is handed on
        CASE WHEN a.attname IN (SELECT k ->> 'name' FROM jsonb_array_elements(stage.table_key(v_effect.cause_relation) -> 'key') k)
          THEN format('OR (s._stage_given).%I IS NOT DISTINCT FROM NULL', a.attname) END, a.attname), ', '),
      string_agg(format('format(''%%s'', (s._stage_base).%I)', a.attname), ', ')
    INTO v_made, v_given
    FROM pg_attribute a
    WHERE a.attrelid = format('stage_data.shadow_%s', v_effect.cause_relation)::regclass AND a.attnum > 0 AND NOT a.attisdropped AND NOT starts_with(a.attname, '_stage_');
    EXECUTE format($q$
      SELECT min(CASE WHEN $3 = ANY (ARRAY[%2$s]) OR s._stage_origin::text <> 'trigger' THEN 'client' ELSE 'trigger' END)
      FROM stage_data.shadow_%1$s s
      WHERE s._stage_session = $1 AND s._stage_origin::text <> 'overlay' AND $3 = ANY (ARRAY[%2$s, %3$s])
        -- a trigger of a statement writes for all of its rows
        AND CASE WHEN $4 THEN coalesce(s._stage_root, s._stage_seq) = $2 ELSE s._stage_mutation = (
          SELECT m._stage_mutation FROM stage_data.shadow_%1$s m WHERE m._stage_session = $1 AND m._stage_seq = $2) END
    $q$, v_effect.cause_relation, v_given, v_made) INTO v_found USING p_session, v_effect.cause, p_value, v_effect.is_of_row;
    IF v_found = 'client' THEN RETURN v_found; END IF;
    v_giver := coalesce(v_giver, v_found);
    p_seq := v_effect.cause;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION stage.giver_of(uuid, bigint, text) FROM PUBLIC;
