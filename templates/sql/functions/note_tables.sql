-- Records the tables in which a session stages rows, so that reviews read only these.
CREATE OR REPLACE FUNCTION stage.note_tables(p_session uuid, p_relations oid[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- guard: no transaction fails to serialize because it read the tables of the session
  IF current_setting('transaction_isolation') = 'serializable' THEN
    INSERT INTO stage.staged_table SELECT p_session, r FROM unnest(p_relations) r;
    RETURN;
  END IF;
  INSERT INTO stage.staged_table SELECT p_session, r FROM unnest(p_relations) r
  WHERE NOT EXISTS (SELECT FROM stage.staged_table t WHERE t.session = p_session AND t.relation = r);
END $$;
REVOKE ALL ON FUNCTION stage.note_tables(uuid, oid[]) FROM PUBLIC;
