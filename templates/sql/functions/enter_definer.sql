-- Begins a copy that runs with the rights of its function's owner, before anything else in it. Returns true. p_function, p_version: the
-- function that it is a copy of, with the version of its entry in the catalog; p_relations: the relations that it, and what it calls, reads
-- or writes; p_written: those that it writes to. It may run for each row, so that it is noted for the rest of the statement, as long as the
-- session stages in no further table.
CREATE OR REPLACE FUNCTION stage.enter_definer(p_function oid, p_version text, p_relations oid[], p_written oid[]) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_session uuid := current_setting('stage.session');
  v_name name;
  v_table name;
  v_note text := 'stage.definer_' || p_function;
  v_seal text;
BEGIN
  SELECT encode(sha256(convert_to(concat_ws(' ', k.key, pg_backend_pid(), statement_timestamp(), v_session, p_function, p_version, p_relations, p_written,
    (SELECT concat_ws(' ', count(*), count(*) FILTER (WHERE t.by_right)) FROM stage.staged_table t WHERE t.session = v_session)), 'UTF8')), 'hex')
  INTO v_seal FROM stage.seal_key k;
  -- guard: a client does not note that the rows of the session were checked for a function with its owner's rights
  IF current_setting(v_note, true) = v_seal THEN RETURN true; END IF;
  SELECT p.proname INTO v_name FROM pg_proc p WHERE p.oid = p_function AND p.xmin::text = p_version;
  -- guard: a copy with the rights of an owner runs as long as its function is what it was
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the definition of a function changed' USING ERRCODE = 'ST001', HINT = 'Retry the transaction.';
  END IF;
  PERFORM stage.lock_definers(v_session, true);
  v_table := stage.rows_beyond_right(v_session, p_relations, p_written);
  IF v_table IS NOT NULL THEN
    RAISE EXCEPTION 'cannot stage what function %() % with its owner''s rights: the session has rows of "%" that the client could not write',
        v_name, CASE p_written WHEN '{}' THEN 'reads' ELSE 'writes' END, v_table
      USING ERRCODE = 'feature_not_supported', HINT = 'Call the function in another session, or after the approval.';
  END IF;
  PERFORM set_config(v_note, v_seal, true);
  RETURN true;
END $$;
