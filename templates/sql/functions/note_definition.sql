-- Notes the facts about the running definition of temporary tables, sealed by the nonce.
CREATE OR REPLACE FUNCTION stage.note_definition(p_nonce text, p_facts jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM set_config('stage.definition', concat_ws(' ', stage.seal(p_nonce, p_facts::text), p_facts::text), true);
END $$;
