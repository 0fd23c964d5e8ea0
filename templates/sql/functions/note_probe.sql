-- Runs after a definition of a temporary table was run without its query and rolled back: notes how many rows it wrote to the catalogs,
-- because it has to write as many again.
CREATE OR REPLACE FUNCTION stage.note_probe(p_nonce text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_facts jsonb := stage.noted_definition(p_nonce);
BEGIN
  PERFORM stage.note_definition(p_nonce, v_facts || jsonb_build_object(
    'probed', stage.definition_writes() - (v_facts ->> 'writes')::bigint));
END $$;
