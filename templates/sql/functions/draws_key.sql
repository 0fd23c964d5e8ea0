-- Returns whether approval may give another key to a row that a trigger inserted while staging: a number of a sequence, or a random value.
-- They come from a default, or from the text of the trigger's function. p_seq: the number of the row.
CREATE OR REPLACE FUNCTION stage.draws_key(p_session uuid, p_relation oid, p_seq bigint) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_effect record;
  v_column record;
  v_value text;
  v_giver text;
BEGIN
  SELECT o.trigger_uses -> 'written' AS written, o.trigger_path AS path, p.prosrc ~* '(nextval|random|uuid)' AS draws INTO v_effect
  FROM stage.effect e JOIN stage.overlay o ON o.relation = e.cause_relation
  LEFT JOIN (pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid) ON t.tgrelid = e.cause_relation AND t.tgname = e.trigger
  WHERE e.session = p_session AND e.seq = p_seq;
  FOR v_column IN
    SELECT a.attname AS name, (stage.base_type(a.atttypid, a.atttypmod)).type = 'uuid'::regtype AS is_uuid,
      -- any other default than a constant
      a.attidentity <> '' OR d.adbin::text ~ '\{(FUNCEXPR|NEXTVALUEEXPR|SQLVALUEFUNCTION)' AS is_drawn,
      -- a statement without a list of columns gives values by position
      (SELECT jsonb_build_array(a.attname, count(*)) FROM pg_attribute b WHERE b.attrelid = p_relation AND b.attnum BETWEEN 1 AND a.attnum - 1 AND NOT b.attisdropped) AS names
    FROM jsonb_array_elements(stage.table_key(p_relation) -> 'key') k
    JOIN pg_attribute a ON a.attrelid = p_relation AND a.attname = k ->> 'name'
    LEFT JOIN pg_attrdef d ON d.adrelid = p_relation AND d.adnum = a.attnum
  LOOP
    IF v_column.is_drawn AND NOT EXISTS (
        SELECT FROM jsonb_array_elements(v_effect.written) n (name)
        WHERE n.name ->> 'operation' = 'INSERT' AND stage.relation_in(n.name, v_effect.path) = p_relation
        HAVING bool_and(EXISTS (SELECT FROM jsonb_array_elements(n.name -> 'given') g WHERE v_column.names @> g))) THEN
      RETURN true;
    END IF;
    EXECUTE format('SELECT format(''%%s'', s.%I) FROM stage_data.shadow_%s s WHERE s._stage_session = $1 AND s._stage_seq = $2', v_column.name, p_relation)
    INTO v_value USING p_session, p_seq;
    v_giver := stage.giver_of(p_session, p_seq, v_value);
    -- guard: a row whose key approval draws anew is not changed
    IF v_giver = 'trigger' OR v_giver IS NULL AND (v_effect.draws OR v_column.is_uuid) THEN RETURN true; END IF;
  END LOOP;
  RETURN false;
END $$;
REVOKE ALL ON FUNCTION stage.draws_key(uuid, oid, bigint) FROM PUBLIC;
