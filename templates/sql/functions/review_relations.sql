-- Returns the tables that a review of a session has to examine, in the order in which their rows are locked: those with staged rows, and
-- those that foreign keys would write to when a staged change of a row is applied. `current` is false where the table has changed since its
-- overlay was built, or the overlay is marked as outdated.
CREATE OR REPLACE FUNCTION stage.review_relations(p_session uuid)
RETURNS TABLE (relation oid, shown_name text, staged boolean, current boolean)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
  WITH staged AS MATERIALIZED (
    SELECT stage.staged_relations($1) AS relation
  ), acting AS MATERIALIZED (
    SELECT c.conrelid, pg_partition_root(c.conrelid)::oid AS whole, c.confrelid, pg_partition_root(c.confrelid)::oid AS parent
    FROM pg_constraint c
    WHERE c.contype = 'f' AND (c.confdeltype IN ('c', 'n', 'd') OR c.confupdtype IN ('c', 'n', 'd'))
  ), examined (relation) AS (
    SELECT s.relation FROM staged s
    -- the rows of partitions are staged in their partitioned table
    UNION SELECT t.relation FROM acting a CROSS JOIN LATERAL (VALUES (a.conrelid), (a.whole)) t (relation)
    WHERE a.confrelid IN (SELECT s.relation FROM staged s) OR a.parent IN (SELECT s.relation FROM staged s)
  ), server AS MATERIALIZED (
    SELECT stage.system_stamp() AS stamp
  )
  SELECT o.relation, o.shown_name, o.relation IN (SELECT s.relation FROM staged s), stage.is_as_built(o.relation, v.stamp)
  FROM examined e JOIN stage.overlay o ON o.relation = e.relation CROSS JOIN server v
  ORDER BY o.relation
$$;
REVOKE ALL ON FUNCTION stage.review_relations(uuid) FROM PUBLIC;
