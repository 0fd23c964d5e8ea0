-- Returns what pg_trigger_depth() returns in production: a statement that stages a part of an upsert, or of a MERGE before PostgreSQL 17,
-- counts as none of its own.
CREATE OR REPLACE FUNCTION stage.trigger_depth() RETURNS int
LANGUAGE sql STABLE AS $$
  SELECT pg_catalog.pg_trigger_depth() OPERATOR(pg_catalog.-) coalesce(nullif(pg_catalog.current_setting('stage.parts', true), ''), '0')::pg_catalog.int4
$$;
