-- Has a deferred constraint trigger fire at COMMIT. p_copy: the name of its copy.
CREATE OR REPLACE FUNCTION stage.defer_firing(p_copy text, p_new text, p_old text, p_operation text) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO stage.deferred_firing VALUES (nextval('stage.seq'), p_copy, p_new, p_old, p_operation)
$$;
