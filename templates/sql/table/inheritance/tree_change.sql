-- INSTEAD OF {{operation}} of a table and its children: stages the change in the table that the row belongs to. From here on only the
-- rights and policies of the table that the statement names count, as in PostgreSQL.
-- Filled in src/overlay/inheritance/tree.ts: `attempts` calls the functions of tree_row.sql until one finds the row, `give_back` returns
-- it, `was_touched` calls those of tree_touched.sql.
CREATE FUNCTION {{function}}() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
DECLARE
  _stage_v_mutation bigint := current_setting('stage.mutation_{{key}}')::bigint;
  _stage_v_start bigint := current_setting('stage.start_{{key}}')::bigint;
  _stage_v_old {{parent_type}} := ROW({{old_row}})::{{parent_type}};
  _stage_v_new {{parent_type}} := {{new_row}};
  _stage_v_result record;
BEGIN
{{attempts}}
  IF _stage_v_result.is_found THEN
{{give_back}}
  END IF;
  IF NOT ({{was_touched}}) THEN PERFORM stage.raise_changed(); END IF;
  PERFORM stage.touched_twice({{oid}});
  RETURN NULL;
END $body$;
