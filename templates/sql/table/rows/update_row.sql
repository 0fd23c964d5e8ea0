-- INSTEAD OF UPDATE: judges the new row as PostgreSQL would, then stages it over the old one.
CREATE FUNCTION {{function}}({{parameters}}) RETURNS {{result}}
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
DECLARE
  v_session uuid := current_setting('stage.session')::uuid;
  v_mutation bigint := {{mutation}};
  v_since bigint;
  v_touched bigint[];
  v_origin stage.row_origin := {{origin}};
  v_key_changed boolean := {{key_changed}};
  v_first boolean := false;
  v_previous record;
  v_own boolean := false;  -- made by this transaction: PostgreSQL judges its foreign keys again
  v_root bigint;
  v_seq bigint;
  v_value text;
BEGIN
{{prepare_row}}
{{row_checks}}
{{unique_checks}}
{{lock_vanishing}}
  IF NOT v_key_changed THEN
    -- the usual case in one statement: the first touch of a production row
    INSERT INTO {{shadow}} ({{columns}}, _stage_session, _stage_mutation, _stage_op, _stage_origin, _stage_head, _stage_first, _stage_check, _stage_base, {{old_columns}})
    VALUES ({{new_columns}}, v_session, v_mutation, 'U', v_origin, true, true, {{references_changed}}, ROW({{old_row}})::{{row_type}}, {{old_values}})
    ON CONFLICT {{arbiter}}DO NOTHING;
    IF FOUND THEN RETURN NEW; END IF;
  END IF;
  -- a staged row: it is replaced only if it still is what this statement read
  v_since := CASE WHEN pg_trigger_depth() > 1 THEN {{start}} ELSE 0 END;
  v_touched := stage.touched(v_mutation);
  UPDATE {{shadow}} s SET _stage_head = false
  WHERE s._stage_session = v_session AND s._stage_head AND {{s_key_matches_old}} AND s._stage_op <> 'D'
    AND ROW({{s_columns}})::{{row_type}} *= ROW({{old_row}})::{{row_type}}
    AND NOT (s._stage_mutation = ANY (v_touched) AND s._stage_seq > v_since)
  RETURNING s._stage_seq, s._stage_root INTO v_previous;
  IF FOUND THEN
    v_root := coalesce(v_previous._stage_root, v_previous._stage_seq);
    v_own := v_previous._stage_seq > current_setting('stage.began')::bigint;
  ELSE
    SELECT s._stage_seq, s._stage_mutation INTO v_previous
    FROM {{shadow}} s WHERE s._stage_session = v_session AND s._stage_head AND {{s_key_matches_old}};
    IF NOT FOUND THEN
      v_first := true;
    ELSIF v_previous._stage_mutation = ANY (v_touched) AND v_previous._stage_seq > v_since THEN
      PERFORM stage.touched_twice({{oid}});
      RETURN NULL;
    ELSE
      PERFORM stage.raise_changed({{oid}}, v_previous._stage_seq);
    END IF;
  END IF;
  IF v_key_changed THEN
    -- a deleted or moved row may occupy the new key
    UPDATE {{shadow}} s SET _stage_head = false
    WHERE s._stage_session = v_session AND s._stage_head AND s._stage_op = 'D' AND {{s_key_matches_new}};
  END IF;
  INSERT INTO {{shadow}} ({{columns}}, _stage_session, _stage_mutation, _stage_op, _stage_origin, _stage_head, _stage_first, _stage_check, _stage_root, _stage_base, {{old_columns}})
  VALUES ({{new_columns}}, v_session, v_mutation, 'U', v_origin, true, v_first, v_own OR {{references_changed}}, v_root,
    CASE WHEN v_first THEN ROW({{old_row}})::{{row_type}} END, {{old_values}})
  ON CONFLICT DO NOTHING
  RETURNING _stage_seq INTO v_seq;
  IF NOT FOUND THEN PERFORM stage.raise_changed(); END IF;
  IF v_key_changed THEN  -- hide the old key
    INSERT INTO {{shadow}} ({{columns}}, _stage_session, _stage_mutation, _stage_op, _stage_origin, _stage_head, _stage_root, {{old_columns}})
    VALUES ({{old_row}}, v_session, v_mutation, 'D', 'overlay', true, coalesce(v_root, v_seq), {{old_values}});
  END IF;
  RETURN NEW;
END $body$;
