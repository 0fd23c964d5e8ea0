-- No AFTER trigger of the table fires while rows are staged.
-- Filled in src/overlay/triggers/fire-after.ts.
CREATE OR REPLACE FUNCTION {{affected}}() RETURNS trigger LANGUAGE plpgsql AS $body$BEGIN RETURN NULL; END $body$;
CREATE OR REPLACE FUNCTION {{behind}}() RETURNS trigger LANGUAGE plpgsql AS $body$BEGIN RETURN NULL; END $body$;
