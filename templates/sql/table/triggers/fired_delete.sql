-- INSTEAD OF DELETE, before the row is staged: fires the copies of production's BEFORE triggers with the client's rights.
-- Filled in src/overlay/triggers/fire-runs.ts: `fired` is the call of the function of fire.sql.
CREATE OR REPLACE FUNCTION {{function}}() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
{{begin_runs}}  IF coalesce(current_setting('stage.truncates', true), '') = 'on' THEN RETURN OLD; END IF;
  IF pg_trigger_depth() > 1 THEN PERFORM stage.demand_owner_reads({{oid}}); END IF;
{{policy}}{{begin}}  IF {{fired}} IS NOT DISTINCT FROM NULL THEN {{give_up}}RETURN NULL; END IF;
{{hand_on}}  RETURN OLD;
END $body$;
