-- Another connection of the same session changed the row first: the proxy retries, or reports 40001.
CREATE OR REPLACE FUNCTION stage.raise_changed() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  RAISE EXCEPTION 'could not serialize access due to concurrent update' USING ERRCODE = 'ST002';
END $$;
