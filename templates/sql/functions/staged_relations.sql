-- Returns the tables in which a session has staged rows; none where these only wait to be removed.
-- Reading a shadow table locks it with its indexes, and a server has room for a limited number of locks: tables are read in batches, each
-- in a subtransaction that is rolled back, which releases its locks.
CREATE OR REPLACE FUNCTION stage.staged_relations(p_session uuid) RETURNS SETOF oid
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_some oid[];
  v_relation oid;
  v_staged boolean;
  v_found oid[] := '{}';
BEGIN
  -- guard: rows that wait to be removed are in no diff
  IF EXISTS (SELECT FROM stage.discard d WHERE d.session = p_session) THEN RETURN; END IF;
  FOR v_some IN
    SELECT array_agg(o.relation ORDER BY o.relation) FROM (
      SELECT relation, (row_number() OVER (ORDER BY relation) - 1) / 50 AS part FROM stage.overlay
    ) o GROUP BY o.part ORDER BY o.part
  LOOP
    BEGIN
      FOREACH v_relation IN ARRAY v_some LOOP
        EXECUTE format('SELECT EXISTS (SELECT 1 FROM stage_data.shadow_%s WHERE _stage_session = $1)', v_relation)
          INTO v_staged USING p_session;
        IF v_staged THEN v_found := v_found || v_relation; END IF;
      END LOOP;
      RAISE SQLSTATE 'ST004';
    EXCEPTION WHEN SQLSTATE 'ST004' THEN
      NULL;  -- what was found stays in the variable
    END;
  END LOOP;
  RETURN QUERY SELECT unnest(v_found);
END $$;
REVOKE ALL ON FUNCTION stage.staged_relations(uuid) FROM PUBLIC;
