-- Returns whether an object is still current, by its stamp and the one that a new object would have. One that is only marked as outdated
-- (see stage.mark_outdated) stays valid for a transaction that has used such objects before: its own locks would prevent a rebuild.
-- Filled in src/db/sql-file.ts: `stand_in_schemas` is the pattern of the names of schemas with stand-ins.
CREATE OR REPLACE FUNCTION stage.fits(p_stamp text, p_current text) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF p_stamp OPERATOR(pg_catalog.=) p_current THEN RETURN true; END IF;
  RETURN coalesce(p_stamp OPERATOR(pg_catalog.=) pg_catalog.concat('outdated ', p_current), false) AND EXISTS (
    SELECT FROM pg_catalog.pg_locks l
    JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) l.relation
    JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
    WHERE l.pid OPERATOR(pg_catalog.=) pg_catalog.pg_backend_pid() AND l.locktype OPERATOR(pg_catalog.=) 'relation'
      AND n.nspname OPERATOR(pg_catalog.~) '{{stand_in_schemas}}');
END $$;
