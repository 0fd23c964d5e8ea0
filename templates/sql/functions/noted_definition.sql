-- Returns the facts that stage.note_definition has noted under the nonce. Raises an error when code has changed it.
CREATE OR REPLACE FUNCTION stage.noted_definition(p_nonce text) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_noted text := current_setting('stage.definition', true);
  v_facts text := substr(v_noted, strpos(v_noted, ' ') + 1);
BEGIN
  -- guard: nobody but the proxy records the writes of a definition
  IF v_noted IS DISTINCT FROM concat_ws(' ', stage.seal(p_nonce, v_facts), v_facts) THEN
    RAISE EXCEPTION 'cannot define a temporary table by a statement that makes a function change settings of the staging service'
      USING ERRCODE = 'feature_not_supported', HINT = 'Nothing was written. Leave the function out.';
  END IF;
  RETURN v_facts;
END $$;
