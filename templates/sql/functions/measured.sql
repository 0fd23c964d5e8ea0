-- Returns a value as a number, for the figures of a brief: the length of a text in characters, or a time in seconds since 1970; NULL for
-- times without a year of four digits.
CREATE OR REPLACE FUNCTION stage.measured(p_text text, p_unit text) RETURNS numeric
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE
    WHEN $2 = 'length' THEN length($1)
    WHEN $1 !~ '^\d{4}-\d\d-\d\d([T ]|$)' OR $1 ~ 'BC$' THEN NULL
    WHEN $2 = 'timestamptz' THEN extract(epoch FROM $1::timestamptz)
    ELSE extract(epoch FROM $1::timestamp)
  END::numeric
$$;
REVOKE ALL ON FUNCTION stage.measured(text, text) FROM PUBLIC;
