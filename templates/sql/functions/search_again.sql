-- Retries an upsert before the violation of a unique index is raised: the upsert has just searched for a colliding row, and this one was
-- added in between, so it has to search again.
CREATE OR REPLACE FUNCTION stage.search_again(p_relation oid, p_index text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_arbiters jsonb := nullif(current_setting('stage.upserted_' || p_relation, true), '');
BEGIN
  IF v_arbiters = 'null' OR v_arbiters ? p_index THEN PERFORM stage.raise_changed(); END IF;
END $$;
REVOKE ALL ON FUNCTION stage.search_again(oid, text) FROM PUBLIC;
