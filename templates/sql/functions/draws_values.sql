-- Returns whether the body of a function draws values that are others at the next call: numbers of sequences, or random values.
CREATE OR REPLACE FUNCTION stage.draws_values(p_body text) RETURNS boolean
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT p_body ~* '(nextval|random|uuid)'
$$;
REVOKE ALL ON FUNCTION stage.draws_values(text) FROM PUBLIC;
