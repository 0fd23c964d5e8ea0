-- INSTEAD OF DELETE trigger: stages a tombstone with the deleted row.
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
  _stage_v_previous record;
BEGIN
{{refusal}}{{lock_vanishing}}
  -- the usual case in one statement: the first touch of a production row
  INSERT INTO {{shadow}} ({{columns}},
    _stage_session, _stage_mutation, _stage_op, _stage_origin,
    _stage_head, _stage_first, _stage_base, {{old_columns}})
  VALUES ({{old_row}},
    _stage_v_session, _stage_v_mutation, 'D', _stage_v_origin,
    true, true, ROW({{old_row}})::{{row_type}}, {{old_values}})
  ON CONFLICT {{arbiter}}DO NOTHING;
  IF FOUND THEN RETURN OLD; END IF;
  -- a staged row: it is deleted only if it is still what this statement read
  _stage_v_since := CASE WHEN pg_trigger_depth() > 1 THEN {{start}} ELSE 0 END;
  _stage_v_touched := stage.touched(_stage_v_mutation);
  UPDATE {{shadow}} s SET _stage_head = false
  WHERE s._stage_session = _stage_v_session AND s._stage_head AND {{s_key_matches_old}} AND s._stage_op <> 'D'
    AND ROW({{s_columns}})::{{row_type}} *= ROW({{old_row}})::{{row_type}}
    AND NOT (s._stage_mutation = ANY (_stage_v_touched) AND s._stage_seq > _stage_v_since)
  RETURNING s._stage_seq, s._stage_root INTO _stage_v_previous;
  IF NOT FOUND THEN
    SELECT s._stage_seq, s._stage_mutation, s._stage_origin, s._stage_op INTO _stage_v_previous
    FROM {{shadow}} s WHERE s._stage_session = _stage_v_session AND s._stage_head AND {{s_key_matches_old}};
    IF NOT coalesce(_stage_v_previous._stage_mutation = ANY (_stage_v_touched) AND _stage_v_previous._stage_seq > _stage_v_since, false) THEN
      PERFORM stage.raise_changed({{oid}}, _stage_v_previous._stage_seq);
    END IF;
    -- guard: a row that its own BEFORE trigger has changed is not deleted
    IF _stage_v_previous._stage_origin = 'trigger' AND (pg_trigger_depth() = 1 OR _stage_v_origin = 'action' OR _stage_v_previous._stage_op <> 'D' OR stage.is_inner(_stage_v_previous._stage_seq)) THEN PERFORM stage.raise_modified('deleted'); END IF;
    PERFORM stage.touched_twice({{oid}});
    RETURN NULL;
  END IF;
  INSERT INTO {{shadow}} ({{columns}},
    _stage_session, _stage_mutation, _stage_op, _stage_origin,
    _stage_head, _stage_root, {{old_columns}})
  VALUES ({{old_row}},
    _stage_v_session, _stage_v_mutation, 'D', _stage_v_origin,
    true, coalesce(_stage_v_previous._stage_root, _stage_v_previous._stage_seq), {{old_values}});
  RETURN OLD;
END $body$;
