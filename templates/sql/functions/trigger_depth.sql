-- Returns what pg_trigger_depth() returns in production: a statement that stages a part of an upsert, or of a MERGE before PostgreSQL 17,
-- counts as none of its own.
CREATE OR REPLACE FUNCTION stage.trigger_depth() RETURNS int
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT pg_trigger_depth() - coalesce(nullif(current_setting('stage.parts', true), ''), '0')::int
$$;
