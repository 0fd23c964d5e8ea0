-- Returns the number of the statement that begins to write while functions of the client's statement run. Each statement of a function is
-- one of its own. A write that calls functions which write stays open meanwhile: its key is in stage.calling before it begins, and among
-- stage.callers until it ends, with its statement and its mutation.
-- Called by the BEFORE STATEMENT triggers. p_key names the table and the operation, e.g. 16402_i.
CREATE OR REPLACE FUNCTION stage.enter_call(p_key text, p_id text) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_statement text := current_setting('stage.statement');
  v_calling text := coalesce(current_setting('stage.calling', true), '');
  v_callers jsonb := coalesce(nullif(current_setting('stage.callers', true), ''), '[]');
  v_relation oid := split_part(p_key, '_', 1);
  v_depth int := pg_trigger_depth();
BEGIN
  -- guard: nothing is written to the table of a write, or to one that refers to it, by what it calls
  IF v_callers <> '[]' THEN PERFORM stage.refuse_caller_table(v_relation, v_callers, v_depth = 1); END IF;
  IF v_depth > 1 THEN RETURN v_statement; END IF;
  -- guard: approval repeats what functions write before the rows of the write that calls them, and so before what BEFORE triggers write for these
  IF v_callers -> -1 ->> 1 = current_setting('stage.caller_fired', true) THEN
    RAISE EXCEPTION 'cannot stage what a function writes after a BEFORE trigger of "%" has written for a row of the same statement',
        (SELECT relname FROM pg_class WHERE oid = split_part(v_callers -> -1 ->> 0, '_', 1)::oid)
      USING ERRCODE = 'feature_not_supported', HINT = 'Call the function in a SELECT before, and use its result.';
  END IF;
  IF v_statement IN (current_setting('stage.ended', true), v_callers -> -1 ->> 1) THEN
    v_statement := set_config('stage.statement', p_id, true);
  END IF;
  IF v_calling <> '' THEN
    -- rows of a table with children, or of MERGE, are written under other keys
    IF v_calling NOT IN (p_key, 'body ' || p_key) THEN
      RAISE EXCEPTION 'cannot stage what a function writes that this write of "%" calls', (SELECT relname FROM pg_class WHERE oid = v_relation)
        USING ERRCODE = 'feature_not_supported', HINT = 'Call the function in a SELECT before, and use its result.';
    END IF;
    PERFORM set_config('stage.calling', '', true),
      set_config('stage.callers', (v_callers || jsonb_build_array(jsonb_build_array(p_key, v_statement, p_id)))::text, true);
  END IF;
  RETURN v_statement;
END $$;
REVOKE ALL ON FUNCTION stage.enter_call(text, text) FROM PUBLIC;
