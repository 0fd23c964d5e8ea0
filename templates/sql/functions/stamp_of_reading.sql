-- Returns stage.function_stamp for functions, triggers and relations that were read since a snapshot was taken. One of them may have been
-- replaced after it was read: then it returns a stamp that no object has, so that the next statement reads them again. p_uses, p_path: as
-- in stage.function_stamp.
CREATE OR REPLACE FUNCTION stage.stamp_of_reading(p_uses jsonb, p_path oid[], p_since pg_snapshot) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  v_now bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
  v_then bigint := pg_snapshot_xmax(p_since)::text::bigint;
BEGIN
  -- guard: a change that is committed while a body is read is not taken for part of it
  IF EXISTS (
    SELECT FROM (
      SELECT p.xmin FROM jsonb_array_elements(p_uses -> 'functions') n(name)
        CROSS JOIN LATERAL stage.functions_named(n.name, p_path) f JOIN pg_proc p ON p.oid = f.oid
      UNION ALL SELECT c.xmin FROM jsonb_array_elements((p_uses -> 'relations') || coalesce(p_uses -> 'checked', '[]')) n(name)
        JOIN pg_class c ON c.oid = stage.relation_in(n.name, p_path)
    ) e(version)
    -- a transaction that ended since then: its id wraps around, and a row that was frozen long ago has one that is far away
    WHERE (e.version::text::bigint - v_then) & 4294967295 < v_now - v_then
      OR e.version::text::bigint IN (SELECT x.id::text::bigint & 4294967295 FROM pg_snapshot_xip(p_since) x(id)))
  THEN
    RETURN 'changed';
  END IF;
  RETURN stage.function_stamp(p_uses, p_path);
END $$;
REVOKE ALL ON FUNCTION stage.stamp_of_reading(jsonb, oid[], pg_snapshot) FROM PUBLIC;
