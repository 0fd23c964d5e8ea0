-- Whether the twin of a view or partition no longer fits: its definition changed, or a table that it reads from production
-- can be staged by now. False where there is none.
CREATE OR REPLACE FUNCTION stage.twin_is_stale(p_relation oid) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM stage.twin t
    WHERE t.relation OPERATOR(pg_catalog.=) p_relation
      AND (t.stamp OPERATOR(pg_catalog.<>) stage.twin_stamp(t.relation)
        OR EXISTS (SELECT FROM stage.overlay o WHERE o.relation OPERATOR(pg_catalog.=) ANY (t.plain))));
END $$;
