-- Returns the digest of what is reviewed in a round; in the first one, that of the steps alone.
CREATE OR REPLACE FUNCTION stage.round_digest(p_steps text, p_round int) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
  -- guard: each round has a digest of its own
  SELECT CASE WHEN $2 <= 1 THEN $1 ELSE 'sha256:' || encode(sha256(convert_to($1 || ' round ' || $2, 'UTF8')), 'hex') END
$$;
REVOKE ALL ON FUNCTION stage.round_digest(text, int) FROM PUBLIC;
