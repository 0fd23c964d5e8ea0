-- Returns its argument if overlays are bound to the tables of this database. Otherwise it raises an error, because no name means anything
-- yet.
CREATE OR REPLACE FUNCTION stage.where_bound(p_names jsonb) RETURNS jsonb
LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF NOT stage.is_bound() THEN
    RAISE EXCEPTION 'the database is a copy, in which staged rows have not been bound to its tables yet'
      USING ERRCODE = 'serialization_failure', HINT = 'The service binds them within a moment: retry the transaction.';
  END IF;
  RETURN p_names;
END $$;
