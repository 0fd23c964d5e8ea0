-- Fires the BEFORE triggers for a new row of an upsert where some of them run with the rights of their owners: those before the first of
-- these. The triggers behind it fire the others, see fired_next.sql.
-- Filled in src/overlay/triggers/fire-upsert.ts: `first` fires them, `next` is the setting that hands the row on.
CREATE OR REPLACE FUNCTION {{function}}() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  _stage_v_made text;
BEGIN
  PERFORM set_config('stage.mutation', current_setting('stage.mutation_{{key}}'), true), set_config('stage.check_later', 'on', true),
    set_config('stage.run_{{oid}}', '', true), set_config('stage.made_{{oid}}', '=', true);
  IF current_setting('stage.unfired_{{oid}}', true) = 'on' THEN RETURN NEW; END IF;
  PERFORM set_config('stage.made_{{oid}}', '', true);
  _stage_v_made := {{first}};
  IF _stage_v_made IS NULL THEN
    PERFORM stage.give_up_row({{oid}}), set_config('stage.check_later', '', true);
    RETURN NULL;
  END IF;
  PERFORM set_config('stage.{{next}}_{{oid}}', _stage_v_made, true);
  RETURN NEW;
END $body$;
