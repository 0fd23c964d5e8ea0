-- INSTEAD OF INSERT, before triggers fire and policies apply with the client's rights: fills the identity columns. Only a trigger draws from
-- a sequence for which the client has no right.
-- Filled in src/overlay/triggers/draw.ts: `prepare` fills the columns.
CREATE OR REPLACE FUNCTION {{function}}() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
  -- an upsert has drawn them before it searched for the colliding row
  IF coalesce(current_setting('stage.made_{{oid}}', true), '') <> '' THEN RETURN NEW; END IF;
{{prepare}}
  RETURN NEW;
END $body$;
