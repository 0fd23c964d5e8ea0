-- INSTEAD OF UPDATE trigger on a table without a key: checks the new row, then stages it over one that equals OLD.
-- Filled in src/overlay/rows/triggers.ts: `take_row` is take_row.sql, filled.
CREATE FUNCTION {{function}}({{parameters}}) RETURNS {{result}}
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
DECLARE
  _stage_v_session uuid := current_setting('stage.session')::uuid;
  _stage_v_mutation bigint := {{mutation}};
  _stage_v_start bigint := {{start}};
  _stage_v_origin stage.row_origin := {{origin}};
  _stage_v_image bytea := {{old_image}};
  _stage_v_taken record;
  _stage_v_first boolean;
  _stage_v_value text;
BEGIN
{{refusal}}{{prepare_row}}
{{row_checks}}
{{unique_checks}}
{{lock_vanishing}}
{{take_row}}
  INSERT INTO {{shadow}} ({{columns}},
    _stage_session, _stage_mutation, _stage_op, _stage_origin,
    _stage_head, _stage_first, _stage_check,
    _stage_root, _stage_base, {{old_columns}})
  VALUES ({{new_columns}},
    _stage_v_session, _stage_v_mutation, 'U', _stage_v_origin,
    true, _stage_v_first,
    -- the foreign keys of a row made by this transaction are checked again, as in PostgreSQL
    NOT _stage_v_first AND _stage_v_taken._stage_seq > current_setting('stage.began')::bigint OR {{references_changed}},
    CASE WHEN NOT _stage_v_first THEN coalesce(_stage_v_taken._stage_root, _stage_v_taken._stage_seq) END,
    CASE WHEN _stage_v_first THEN ROW({{old_row}})::{{row_type}} END, {{old_values}})
  ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN PERFORM stage.raise_changed(); END IF;
  RETURN NEW;
END $body$;
