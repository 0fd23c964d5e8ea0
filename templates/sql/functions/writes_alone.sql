-- Returns whether no other transaction is writing in the caller's session. Each one that does locks the session's row (see
-- stage.before_statement), and the row's xmax shows who locks it if that is one transaction alone. False, too, where a transaction that has
-- ended makes that unclear.
CREATE OR REPLACE FUNCTION stage.writes_alone() RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (SELECT stage.is_own_version(s.xmax) FROM stage.session s WHERE s.id = current_setting('stage.session')::uuid);
END $$;
REVOKE ALL ON FUNCTION stage.writes_alone() FROM PUBLIC;
