-- Gives what it is given, where overlays stand for tables of this database. Where they do not yet, no name means anything.
CREATE OR REPLACE FUNCTION stage.where_bound(p_names jsonb) RETURNS jsonb
LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF NOT stage.is_bound() THEN
    RAISE EXCEPTION 'the database is a copy, in which staged rows have not been bound to its tables yet'
      USING ERRCODE = 'serialization_failure', HINT = 'The service binds them within a moment: retry the transaction.';
  END IF;
  RETURN p_names;
END $$;
