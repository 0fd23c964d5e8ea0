-- Returns what names are resolved under on the caller's connection: its search path, and the role that SET ROLE has set, if any. "$user" is
-- that role, and it may have no right to a schema in which another role finds the name. No search path can have the form `role ; path`.
CREATE OR REPLACE FUNCTION stage.name_context() RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT pg_catalog.concat(
    CASE WHEN pg_catalog.current_setting('role') OPERATOR(pg_catalog.<>) 'none' THEN pg_catalog.quote_ident(pg_catalog.current_setting('role')) OPERATOR(pg_catalog.||) ' ; ' END,
    pg_catalog.current_setting('search_path'))
$$;
