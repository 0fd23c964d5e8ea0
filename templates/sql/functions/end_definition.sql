-- Runs after a command that defined temporary tables: its writes to the catalogs are no writes to production, and are added to the results
-- of stage.counted and stage.dropped. Returns the number of these writes.
CREATE OR REPLACE FUNCTION stage.end_definition(p_nonce text) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_facts jsonb := stage.noted_definition(p_nonce);
  v_written bigint := stage.definition_writes() - (v_facts ->> 'writes')::bigint;
  v_dropped oid[];
BEGIN
  IF v_facts ? 'probed' THEN
    -- guard: the query of a definition writes nothing to the catalogs
    IF v_written <> 2 * (v_facts ->> 'probed')::bigint THEN
      RAISE EXCEPTION 'cannot make a temporary table by a query that makes a function write to the system catalogs'
        USING ERRCODE = 'feature_not_supported', HINT = 'Nothing was written. Leave the function out.';
    END IF;
  ELSE
    -- no code of users has run, so the connection itself dropped them
    v_dropped := ARRAY(SELECT unnest(stage.dropped_relations()) EXCEPT SELECT r::oid FROM jsonb_array_elements_text(v_facts -> 'dropped') r);
    PERFORM stage.note_dropped(p_nonce, stage.dropped(p_nonce) || v_dropped);
  END IF;
  PERFORM stage.note_counted(p_nonce, stage.counted(p_nonce) + v_written);
  RETURN v_written;
END $$;
