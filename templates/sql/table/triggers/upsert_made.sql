-- Hands on the row that the BEFORE triggers made, as upsert_first.sql does.
-- Filled in src/overlay/triggers/fire-upsert.ts.
CREATE FUNCTION {{function}}_made() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  _stage_v_made text := current_setting('stage.made_{{oid}}');
  _stage_v_overriding text := coalesce(current_setting('stage.overriding_{{oid}}', true), '');
BEGIN
  -- the missing values of the row have been drawn
  PERFORM set_config('stage.made_{{oid}}', '', true), set_config('stage.overriding_{{oid}}', 'system', true), set_config('stage.first_{{oid}}',
    jsonb_build_array(_stage_v_made, stage.exact_row(NEW), _stage_v_overriding)::text, true);
  IF _stage_v_made <> '=' THEN NEW := {{made_row}}(_stage_v_made); END IF;
  RETURN NEW;
END $body$;
CREATE TRIGGER fire_new INSTEAD OF INSERT ON {{upsert}} FOR EACH ROW EXECUTE FUNCTION {{function}}();
CREATE TRIGGER fire_new_made INSTEAD OF INSERT ON {{upsert}} FOR EACH ROW EXECUTE FUNCTION {{function}}_made();

