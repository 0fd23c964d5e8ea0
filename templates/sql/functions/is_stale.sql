-- Returns whether the stand-in of a relation no longer matches it; false if it has none. The overlay of a table matches while the table is
-- unchanged. The staged view of a view or partition does not match any more where its definition changed or that of one it depends on,
-- where a table that it reads from production can be staged now, or where the table that it writes to changed. An overlay that is left of a
-- table that became a partition is ignored, and so is a staged view that is left of a former partition.
DROP FUNCTION IF EXISTS stage.staged_view_is_stale(oid);
CREATE OR REPLACE FUNCTION stage.is_stale(p_relation oid) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM stage.staged_view t WHERE t.relation OPERATOR(pg_catalog.=) p_relation AND stage.has_staged_view(p_relation))
  THEN
    RETURN EXISTS (
      SELECT FROM stage.overlay o WHERE o.relation OPERATOR(pg_catalog.=) p_relation
        AND NOT stage.fits(o.stamp, stage.table_stamp(p_relation)));
  END IF;
  RETURN EXISTS (
    WITH RECURSIVE behind(relation) AS (
      SELECT p_relation
      UNION SELECT b.relation FROM behind w JOIN stage.staged_view t ON t.relation OPERATOR(pg_catalog.=) w.relation, pg_catalog.unnest(t.staged_views) b(relation))
    SELECT FROM behind w LEFT JOIN stage.staged_view t ON t.relation OPERATOR(pg_catalog.=) w.relation
    WHERE t.stamp IS NULL OR NOT stage.fits(t.stamp, stage.staged_view_stamp(w.relation))
      OR EXISTS (SELECT FROM stage.overlay o WHERE o.relation OPERATOR(pg_catalog.=) ANY (t.plain) AND stage.table_obstacle(o.relation) IS NULL)
      OR EXISTS (SELECT FROM pg_catalog.unnest(t.trees) r(relation) WHERE (stage.tree_state(r.relation) OPERATOR(pg_catalog.->>) 'stale')::pg_catalog.bool)
      OR EXISTS (SELECT FROM stage.overlay o WHERE o.relation OPERATOR(pg_catalog.=) t.target
        AND NOT stage.fits(o.stamp, stage.table_stamp(t.target))));
END $$;
