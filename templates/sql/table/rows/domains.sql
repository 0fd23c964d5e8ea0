-- INSTEAD OF, before the row is staged: what the domains of its columns say. As PostgreSQL judges them: with the client's
-- rights, and under its search_path, which decides how messages name a domain.
CREATE FUNCTION {{function}}() RETURNS trigger
LANGUAGE plpgsql AS $body$
BEGIN
{{checks}}
  RETURN NEW;
END $body$;
