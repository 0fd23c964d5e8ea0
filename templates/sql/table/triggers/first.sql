-- BEFORE STATEMENT, when the mutation is open: fires the copies of production's BEFORE STATEMENT triggers with the client's rights.
-- TG_ARGV[0] is the operation. A part of an upsert, of a MERGE or of a TRUNCATE, and the action of a foreign key, are no statements of
-- their own.
-- Filled in src/overlay/triggers/fire-statement.ts.
CREATE OR REPLACE FUNCTION {{function}}() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  _stage_v_nested boolean := pg_trigger_depth() > 1;
BEGIN
{{fire_truncate}}  IF _stage_v_nested AND coalesce(current_setting('stage.origin', true), '') <> 'trigger' OR coalesce(current_setting('stage.check_later', true), '') <> ''
    OR coalesce(current_setting('stage.truncates', true), '') = 'on'
  THEN
    RETURN NULL;
  END IF;
  IF _stage_v_nested THEN PERFORM stage.demand_owner_reads({{oid}}); END IF;
{{fire}}  RETURN NULL;
END $body$;
