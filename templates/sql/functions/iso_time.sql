-- Returns a time as users see it: ISO 8601 UTC with microseconds.
CREATE OR REPLACE FUNCTION stage.iso_time(moment timestamptz) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT pg_catalog.to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;
