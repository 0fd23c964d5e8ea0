-- Returns whether the OIDs in this schema are those of this database, by what any role can read: the database has the same OID,
-- stage.overlay is the same table, and the row that proves it was written here. Called for each staged statement.
CREATE OR REPLACE FUNCTION stage.is_bound() RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM stage.identity i JOIN pg_catalog.pg_database d ON d.oid OPERATOR(pg_catalog.=) i.database
    WHERE d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database()
      AND i.registry OPERATOR(pg_catalog.=) 'stage.overlay'::pg_catalog.regclass::pg_catalog.oid
      AND i.xmin OPERATOR(pg_catalog.=) i.written::pg_catalog.xid);
END $$;
