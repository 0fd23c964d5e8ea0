-- INSTEAD OF INSERT trigger: checks the row as PostgreSQL would, then stages it.
-- Filled in src/overlay/rows/triggers.ts: `free_in_production` is the condition that no unique key is taken there.
CREATE FUNCTION {{function}}() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
DECLARE
  _stage_v_session uuid := current_setting('stage.session')::uuid;
  _stage_v_mutation bigint := current_setting('stage.mutation_{{oid}}_i')::bigint;
  _stage_v_origin stage.row_origin := {{origin}};
  _stage_v_dead record;
  _stage_v_value text;
{{given_variable}}BEGIN
{{refusal}}{{prepare_row}}
{{row_checks}}
  -- the usual case in one statement: no unique key is taken in production, and ON CONFLICT finds the session's own rows
  INSERT INTO {{shadow}} ({{columns}}{{given_column}},
    _stage_session, _stage_mutation, _stage_op, _stage_origin,
    _stage_head, _stage_check)
  SELECT {{new_columns}}{{given_value}},
    _stage_v_session, _stage_v_mutation, 'I', _stage_v_origin,
    true, true
  WHERE {{free_in_production}}
  ON CONFLICT DO NOTHING;
  IF FOUND THEN RETURN NEW; END IF;
{{unique_checks}}
  -- no live row collides: a deleted or moved one may occupy the key
  SELECT s._stage_seq, s._stage_op, s._stage_origin, s._stage_root INTO _stage_v_dead
  FROM {{shadow}} s WHERE s._stage_session = _stage_v_session AND s._stage_head AND {{s_key_matches_new}};
  IF FOUND AND _stage_v_dead._stage_op = 'D' THEN
    UPDATE {{shadow}} SET _stage_head = false
    WHERE _stage_session = _stage_v_session AND _stage_seq = _stage_v_dead._stage_seq AND _stage_head;
    IF NOT FOUND THEN PERFORM stage.raise_changed(); END IF;
  END IF;
  INSERT INTO {{shadow}} ({{columns}}{{given_column}},
    _stage_session, _stage_mutation, _stage_op, _stage_origin,
    _stage_head, _stage_check, _stage_root)
  VALUES ({{new_columns}}{{given_value}},
    _stage_v_session, _stage_v_mutation, 'I', _stage_v_origin,
    true, true, CASE WHEN _stage_v_dead._stage_op = 'D' AND _stage_v_dead._stage_origin <> 'overlay'
      THEN coalesce(_stage_v_dead._stage_root, _stage_v_dead._stage_seq) END)
  ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN PERFORM stage.raise_changed(); END IF;
  RETURN NEW;
END $body$;
