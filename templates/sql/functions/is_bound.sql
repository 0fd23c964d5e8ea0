-- Whether the OIDs in this schema are those of this database, as far as any role can tell: it has the same number, stage.overlay is
-- the table that it was, and the row that says so was written here. Asked with each staged statement.
CREATE OR REPLACE FUNCTION stage.is_bound() RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM stage.identity i JOIN pg_catalog.pg_database d ON d.oid OPERATOR(pg_catalog.=) i.database
    WHERE d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database()
      AND i.registry OPERATOR(pg_catalog.=) 'stage.overlay'::pg_catalog.regclass::pg_catalog.oid
      AND i.xmin OPERATOR(pg_catalog.=) i.written::pg_catalog.xid);
END $$;
