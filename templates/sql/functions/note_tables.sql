-- Records the tables in which a session stages rows, so that reviews read only these. p_by_right: the role could write these rows in
-- production.
DROP FUNCTION IF EXISTS stage.note_tables(uuid, oid[]);
CREATE OR REPLACE FUNCTION stage.note_tables(p_session uuid, p_relations oid[], p_by_right boolean DEFAULT false) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- guard: no rows that a role could not write appear while a function runs that must not read them
  IF NOT p_by_right THEN PERFORM stage.lock_definers(p_session, false); END IF;
  -- guard: no transaction fails to serialize because it read the tables of the session
  IF current_setting('transaction_isolation') = 'serializable' THEN
    INSERT INTO stage.staged_table (session, relation, by_right) SELECT p_session, r, p_by_right FROM unnest(p_relations) r;
    RETURN;
  END IF;
  INSERT INTO stage.staged_table (session, relation, by_right) SELECT p_session, r, p_by_right FROM unnest(p_relations) r
  WHERE NOT EXISTS (SELECT FROM stage.staged_table t WHERE t.session = p_session AND t.relation = r AND t.by_right <= p_by_right);
END $$;
REVOKE ALL ON FUNCTION stage.note_tables(uuid, oid[], boolean) FROM PUBLIC;
