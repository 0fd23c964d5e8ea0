-- Raises an error because an overlay was made for a former definition of its table. Statements that come through the service have it
-- rebuilt before they get here.
CREATE OR REPLACE FUNCTION stage.raise_altered(p_relation oid) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RAISE EXCEPTION 'the definition of relation % changed', p_relation::pg_catalog.regclass USING ERRCODE = 'ST001', HINT = 'Retry the transaction.';
END $$;
