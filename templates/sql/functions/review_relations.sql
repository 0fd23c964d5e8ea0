-- Returns the tables that a review of a session has to examine, in the order in which their rows are locked: those with staged rows, and
-- those that foreign keys would write to when a staged change of a row is applied. `current` is false where the table has changed since its
-- overlay was built, or the overlay is marked as outdated.
CREATE OR REPLACE FUNCTION stage.review_relations(p_session uuid)
RETURNS TABLE (relation oid, shown_name text, staged boolean, current boolean)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  WITH staged AS (SELECT stage.staged_relations($1) AS relation)
  SELECT o.relation, o.shown_name, s.relation IS NOT NULL,
    o.signature IS NOT DISTINCT FROM stage.table_signature(o.relation) AND NOT starts_with(o.stamp, 'outdated ')
  FROM stage.overlay o LEFT JOIN staged s ON s.relation = o.relation
  WHERE s.relation IS NOT NULL OR EXISTS (
    -- the rows of partitions are staged in their partitioned table
    SELECT 1 FROM pg_constraint c JOIN staged p ON p.relation IN (c.confrelid, pg_partition_root(c.confrelid))
    WHERE c.contype = 'f' AND o.relation IN (c.conrelid, pg_partition_root(c.conrelid))
      AND (c.confdeltype IN ('c', 'n', 'd') OR c.confupdtype IN ('c', 'n', 'd')))
  ORDER BY o.relation
$$;
REVOKE ALL ON FUNCTION stage.review_relations(uuid) FROM PUBLIC;
