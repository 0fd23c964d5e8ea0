-- INSTEAD OF, behind fired.sql or fired_delete.sql: fires the next of the table's BEFORE triggers that have the same rights. Those of owners
-- are fired with the rights of the service account, which alone may call their copies. No code of others runs between this trigger and
-- the one before it, which sets the row's text or clears it: so it fires for a row for which those before it have fired.
-- TG_ARGV[0] is `upsert` on the view for ON CONFLICT.
-- Filled in src/overlay/triggers/fire-runs.ts: `made` is the text of the row, null if it is suppressed.
CREATE OR REPLACE FUNCTION {{function}}() RETURNS trigger
LANGUAGE plpgsql {{rights}}SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  _stage_v_run text := coalesce(current_setting('stage.run_{{oid}}', true), '');
  _stage_v_made text;
BEGIN
  IF _stage_v_run = '' THEN RETURN {{row}}; END IF;
  PERFORM set_config('stage.run_{{oid}}', '', true);
{{demand}}  _stage_v_made := {{made}};
  IF _stage_v_made IS NULL THEN
    {{give_up}}PERFORM set_config('stage.check_later', '', true) WHERE TG_NARGS > 0;
    RETURN NULL;
  END IF;
  PERFORM set_config('stage.{{next}}_{{oid}}', _stage_v_made, true);
  RETURN {{row}};
END $body$;
REVOKE ALL ON FUNCTION {{function}}() FROM PUBLIC;
