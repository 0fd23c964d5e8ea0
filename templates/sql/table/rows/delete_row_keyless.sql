-- INSTEAD OF DELETE trigger on a table without a key: stages the deletion of one row that equals OLD.
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
BEGIN
{{refusal}}{{lock_vanishing}}
{{take_row}}
  INSERT INTO {{shadow}} ({{columns}},
    _stage_session, _stage_mutation, _stage_op, _stage_origin,
    _stage_head, _stage_first,
    _stage_root, _stage_base, {{old_columns}})
  VALUES ({{old_row_and_image}},
    _stage_v_session, _stage_v_mutation, 'D', _stage_v_origin,
    true, _stage_v_first,
    CASE WHEN NOT _stage_v_first THEN coalesce(_stage_v_taken._stage_root, _stage_v_taken._stage_seq) END,
    CASE WHEN _stage_v_first THEN ROW({{old_row}})::{{row_type}} END, {{old_values}});
  RETURN OLD;
END $body$;
