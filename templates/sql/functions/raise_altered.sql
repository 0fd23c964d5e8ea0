-- Refuses to go on with an overlay that was made for what its table no longer is. Statements that come through the service make it anew
-- before they get here.
CREATE OR REPLACE FUNCTION stage.raise_altered(p_relation oid) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RAISE EXCEPTION 'the definition of relation % changed', p_relation::pg_catalog.regclass USING ERRCODE = 'ST001', HINT = 'Retry the transaction.';
END $$;
