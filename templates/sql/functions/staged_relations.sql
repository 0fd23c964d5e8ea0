-- Returns the tables in which a session has staged rows; none if these only wait to be removed. It reads the tables that stage.staged_table
-- names, and the tables of all overlays if the session began before that table existed. Reading a shadow table locks it with its indexes,
-- and a server has room for a limited number of locks: tables are read in batches, each in a subtransaction that is rolled back, which
-- releases its locks.
CREATE OR REPLACE FUNCTION stage.staged_relations(p_session uuid) RETURNS SETOF oid
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_possible oid[];
  v_relation oid;
  v_staged boolean;
  v_found oid[] := '{}';
BEGIN
  -- guard: rows that wait to be removed are in no diff
  IF EXISTS (SELECT FROM stage.discard d WHERE d.session = p_session) THEN RETURN; END IF;
  -- guard: sessions of earlier releases are searched in all tables
  IF EXISTS (SELECT FROM stage.session s WHERE s.id = p_session AND s.has_tables) THEN
    -- a subquery for each table: a join would read all overlays
    v_possible := ARRAY(SELECT DISTINCT t.relation FROM stage.staged_table t WHERE t.session = p_session
      AND (SELECT o.relation FROM stage.overlay o WHERE o.relation = t.relation) IS NOT NULL ORDER BY t.relation);
  ELSE
    v_possible := ARRAY(SELECT o.relation FROM stage.overlay o ORDER BY o.relation);
  END IF;
  FOR v_first IN 1 .. cardinality(v_possible) BY 50 LOOP
    BEGIN
      FOREACH v_relation IN ARRAY v_possible[v_first : v_first + 49] LOOP
        EXECUTE format('SELECT EXISTS (SELECT 1 FROM stage_data.shadow_%s WHERE _stage_session = $1)', v_relation)
          INTO v_staged USING p_session;
        IF v_staged THEN v_found := v_found || v_relation; END IF;
      END LOOP;
      RAISE SQLSTATE 'ST004';
    EXCEPTION WHEN SQLSTATE 'ST004' THEN
      NULL;  -- the variable retains the relations that were found
    END;
  END LOOP;
  RETURN QUERY SELECT unnest(v_found);
END $$;
REVOKE ALL ON FUNCTION stage.staged_relations(uuid) FROM PUBLIC;
