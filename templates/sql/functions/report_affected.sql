-- Reports to the proxy how many rows a statement has changed as a set: PostgreSQL counts none if a rule has turned it into an INSERT.
CREATE OR REPLACE FUNCTION stage.report_affected(p_rows bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET client_min_messages = 'notice' AS $$
BEGIN
  RAISE NOTICE USING MESSAGE = p_rows::text, ERRCODE = 'ST005';
END $$;
REVOKE ALL ON FUNCTION stage.report_affected(bigint) FROM PUBLIC;
