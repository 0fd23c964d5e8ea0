-- INSTEAD OF UPDATE trigger: checks the new row as PostgreSQL would, then stages it over the old one.
-- Filled in src/overlay/rows/triggers.ts, also as a function that takes the row (`parameters`, `result`, `mutation`, `start`).
CREATE FUNCTION {{function}}({{parameters}}) RETURNS {{result}}
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
DECLARE
  _stage_v_session uuid := current_setting('stage.session')::uuid;
  _stage_v_mutation bigint := {{mutation}};
  _stage_v_since bigint;
  _stage_v_touched bigint[];
  _stage_v_origin stage.row_origin := {{origin}};
  _stage_v_key_changed boolean := {{key_changed}};
  _stage_v_first boolean := false;
  _stage_v_previous record;
  _stage_v_own boolean := false;  -- made by this transaction: PostgreSQL checks its foreign keys again
  _stage_v_root bigint;
  _stage_v_seq bigint;
  _stage_v_value text;
{{given_variable}}BEGIN
{{refusal}}{{prepare_row}}
{{row_checks}}
{{unique_checks}}
{{lock_vanishing}}
  IF _stage_v_key_changed THEN
    -- the old key is hidden before the new one is inserted: another change of the row collides there first, as in PostgreSQL
    _stage_v_seq := nextval('stage.seq');
    INSERT INTO {{shadow}} ({{columns}},
      _stage_session, _stage_mutation, _stage_op, _stage_origin,
      _stage_head, _stage_root, {{old_columns}})
    VALUES ({{old_row}},
      _stage_v_session, _stage_v_mutation, 'D', 'overlay',
      true, _stage_v_seq, {{old_values}})
    ON CONFLICT DO NOTHING;
    _stage_v_first := FOUND;
  ELSE
    -- the usual case in one statement: the first touch of a production row
    INSERT INTO {{shadow}} ({{columns}}{{given_column}},
      _stage_session, _stage_mutation, _stage_op, _stage_origin,
      _stage_head, _stage_first, _stage_check,
      _stage_base, {{old_columns}})
    VALUES ({{new_columns}}{{given_value}},
      _stage_v_session, _stage_v_mutation, 'U', _stage_v_origin,
      true, true, {{references_changed}},
      ROW({{old_row}})::{{row_type}}, {{old_values}})
    ON CONFLICT {{arbiter}}DO NOTHING;
    IF FOUND THEN RETURN NEW; END IF;
  END IF;
  IF NOT _stage_v_first THEN
    -- a staged row: it is replaced only if it is still what this statement read
    _stage_v_since := CASE WHEN pg_trigger_depth() > 1 THEN {{start}} ELSE 0 END;
    _stage_v_touched := stage.touched(_stage_v_mutation);
    UPDATE {{shadow}} s SET _stage_head = false
    WHERE s._stage_session = _stage_v_session AND s._stage_head AND {{s_key_matches_old}} AND s._stage_op <> 'D'
      AND ROW({{s_columns}})::{{row_type}} *= ROW({{old_row}})::{{row_type}}
      AND NOT (s._stage_mutation = ANY (_stage_v_touched) AND s._stage_seq > _stage_v_since)
    RETURNING s._stage_seq, s._stage_root INTO _stage_v_previous;
    IF FOUND THEN
      _stage_v_root := coalesce(_stage_v_previous._stage_root, _stage_v_previous._stage_seq);
      _stage_v_own := _stage_v_previous._stage_seq > current_setting('stage.began')::bigint;
    ELSE
      SELECT s._stage_seq, s._stage_mutation, s._stage_origin, s._stage_op INTO _stage_v_previous
      FROM {{shadow}} s WHERE s._stage_session = _stage_v_session AND s._stage_head AND {{s_key_matches_old}};
      IF _stage_v_previous._stage_mutation = ANY (_stage_v_touched) AND _stage_v_previous._stage_seq > _stage_v_since THEN
        -- guard: a row that its own BEFORE trigger has updated is not updated
        IF _stage_v_previous._stage_origin = 'trigger' AND (pg_trigger_depth() = 1 OR _stage_v_origin = 'action' OR _stage_v_previous._stage_op <> 'U' OR stage.is_inner(_stage_v_previous._stage_seq)) THEN PERFORM stage.raise_modified('updated'); END IF;
        PERFORM stage.touched_twice({{oid}});
        RETURN NULL;
      ELSIF FOUND OR _stage_v_key_changed THEN
        PERFORM stage.raise_changed({{oid}}, _stage_v_previous._stage_seq);
      END IF;
      _stage_v_first := true;
    END IF;
  END IF;
  IF _stage_v_key_changed THEN
    -- a deleted or moved row may occupy the new key
    UPDATE {{shadow}} s SET _stage_head = false
    WHERE s._stage_session = _stage_v_session AND s._stage_head AND s._stage_op = 'D' AND {{s_key_matches_new}};
  END IF;
  INSERT INTO {{shadow}} ({{columns}}{{given_column}},
    _stage_seq,
    _stage_session, _stage_mutation, _stage_op, _stage_origin,
    _stage_head, _stage_first, _stage_check, _stage_root,
    _stage_base, {{old_columns}})
  VALUES ({{new_columns}}{{given_value}},
    coalesce(_stage_v_seq, nextval('stage.seq')),
    _stage_v_session, _stage_v_mutation, 'U', _stage_v_origin,
    true, _stage_v_first, _stage_v_own OR {{references_changed}}, _stage_v_root,
    CASE WHEN _stage_v_first THEN ROW({{old_row}})::{{row_type}} END, {{old_values}})
  ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN PERFORM stage.raise_changed(); END IF;
  IF _stage_v_key_changed AND NOT _stage_v_first THEN
    INSERT INTO {{shadow}} ({{columns}},
      _stage_session, _stage_mutation, _stage_op, _stage_origin,
      _stage_head, _stage_root, {{old_columns}})
    VALUES ({{old_row}},
      _stage_v_session, _stage_v_mutation, 'D', 'overlay',
      true, _stage_v_root, {{old_values}});
  END IF;
  RETURN NEW;
END $body$;
