-- Returns whether a staged row was written by a trigger that fired for a row of the running statement, which a trigger has made itself.
-- p_seq: the number of the row. See stage.end_firing.
CREATE OR REPLACE FUNCTION stage.is_inner(p_seq bigint) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT p_seq <@ format('{%s}', current_setting('stage.inner', true))::int8multirange
$$;
