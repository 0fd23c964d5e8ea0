-- INSTEAD OF trigger, before the row is staged: checks the domains of its columns. It does so as PostgreSQL does: with the client's rights,
-- and under its search_path, which decides how messages name a domain.
-- Filled in src/overlay/rows/triggers.ts.
CREATE FUNCTION {{function}}() RETURNS trigger
LANGUAGE plpgsql AS $body$
BEGIN
{{checks}}
  RETURN NEW;
END $body$;
