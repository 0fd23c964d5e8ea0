-- INSTEAD OF, before the row is staged: fires the copies of production's BEFORE triggers with the client's rights. It passes the row as
-- they made it to the trigger that stages it. The row itself stays as the client sent it: approval passes that to production.
-- Filled in src/overlay/triggers/fire-runs.ts: `prepare` checks the columns of an update, `made` is the text of the row that triggers made,
-- null if they suppressed it; `policy` leaves a row alone that policies keep from the statement.
CREATE OR REPLACE FUNCTION {{function}}() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  _stage_v_made text;
BEGIN
{{begin_runs}}  -- an upsert has fired them before it searched for the colliding row
  IF coalesce(current_setting('stage.made_{{oid}}', true), '') <> '' THEN RETURN NEW; END IF;
  IF pg_trigger_depth() > 1 THEN PERFORM stage.demand_owner_reads({{oid}}); END IF;
{{policy}}{{prepare}}
{{begin}}  _stage_v_made := {{made}};
  IF _stage_v_made IS NULL THEN {{give_up}}RETURN NULL; END IF;
  PERFORM set_config('stage.{{next}}_{{oid}}', _stage_v_made, true);
  RETURN NEW;
END $body$;
