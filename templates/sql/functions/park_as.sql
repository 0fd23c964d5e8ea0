-- Moves a session's rows out of a shadow table that is about to change, and stores their diff under the number of a table, p_as.
CREATE OR REPLACE FUNCTION stage.park_as(p_session uuid, p_relation oid, p_columns text[], p_reasons jsonb, p_as oid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM stage.discard d WHERE d.session = p_session) THEN
    -- the session is decided, and its rows only wait to be removed
    EXECUTE format('DELETE FROM stage_data.shadow_%s WHERE _stage_session = $1', p_relation) USING p_session;
    RETURN;
  END IF;
  INSERT INTO stage.parked_table
  SELECT p_session, p_as, o.shown_name, p_columns, p_reasons FROM stage.overlay o WHERE o.relation = p_relation;
  BEGIN
    EXECUTE format('INSERT INTO stage.parked_change SELECT $1, $2, d.* FROM stage_data.diff_%s($1) d', p_relation)
    USING p_session, p_as;
  EXCEPTION WHEN syntax_error_or_access_rule_violation OR data_exception THEN
    BEGIN
      -- guard: rows are parked also where the functions of their table are of an earlier release
      PERFORM stage.park_changes(p_session, p_relation, p_as);
    EXCEPTION WHEN syntax_error_or_access_rule_violation THEN
      NULL;  -- the type of the key was dropped
    END;
  END;
  EXECUTE format('DELETE FROM stage_data.shadow_%s WHERE _stage_session = $1', p_relation) USING p_session;
END $$;
REVOKE ALL ON FUNCTION stage.park_as(uuid, oid, text[], jsonb, oid) FROM PUBLIC;
