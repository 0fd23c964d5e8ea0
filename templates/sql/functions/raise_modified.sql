-- Raises PostgreSQL's error for a row of a statement that a BEFORE trigger has changed, which fired for a row of the same statement.
-- p_how: updated or deleted.
CREATE OR REPLACE FUNCTION stage.raise_modified(p_how text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'tuple to be % was already modified by an operation triggered by the current command', p_how
    USING ERRCODE = 'triggered_data_change_violation', HINT = 'Consider using an AFTER trigger instead of a BEFORE trigger to propagate changes to other rows.';
END $$;
REVOKE ALL ON FUNCTION stage.raise_modified(text) FROM PUBLIC;
