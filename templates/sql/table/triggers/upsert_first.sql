-- Fires the BEFORE triggers for a new row of an upsert of a table with row-level security: the triggers behind it check the policies for
-- the row that they made, and search for a colliding row. The one that stages gets the row as given, and what they made of it, by a setting.
-- Filled in src/overlay/triggers/fire-upsert.ts: `fired` is the function of upsert_function.sql.
CREATE FUNCTION {{function}}() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  _stage_v_fired record;
  _stage_v_overriding text := coalesce(current_setting('stage.overriding_{{oid}}', true), '');
BEGIN
  PERFORM set_config('stage.mutation', current_setting('stage.mutation_{{key}}'), true), set_config('stage.check_later', 'on', true);
  _stage_v_fired := {{fired}}(NEW);
  IF _stage_v_fired._stage_p_text IS NULL THEN
    PERFORM stage.give_up_row({{oid}}), set_config('stage.check_later', '', true);
    RETURN NULL;
  END IF;
  -- the missing values of the row have been drawn
  PERFORM set_config('stage.overriding_{{oid}}', 'system', true), set_config('stage.first_{{oid}}',
    jsonb_build_array(_stage_v_fired._stage_p_text, stage.exact_row(_stage_v_fired.new), _stage_v_overriding)::text, true);
  NEW := _stage_v_fired._stage_p_made;
  RETURN NEW;
END $body$;
CREATE TRIGGER fire_new INSTEAD OF INSERT ON {{upsert}} FOR EACH ROW EXECUTE FUNCTION {{function}}();

