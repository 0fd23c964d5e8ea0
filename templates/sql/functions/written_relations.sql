-- Returns the relations of users that this transaction has written to, or may have: their locks show it, whatever wrote to them. Adds the
-- table at the top of each partition, about how many rows the relation has, and whether it was locked as TRUNCATE and ALTER TABLE do.
-- VOLATILE, because a relation may have been created since the caller's snapshot.
CREATE OR REPLACE FUNCTION stage.written_relations()
RETURNS TABLE (relation oid, root oid, kind "char", row_count float8, is_taken_whole boolean)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT c.oid, coalesce(pg_partition_root(c.oid)::oid, c.oid), c.relkind,
    -- as the planner estimates it; where there are no statistics, rows are assumed to be small
    CASE WHEN c.relkind <> 'r' THEN 0
         WHEN c.reltuples >= 0 AND c.relpages > 0 THEN c.reltuples / c.relpages * (pg_relation_size(c.oid) / 8192.0)
         ELSE pg_relation_size(c.oid) / 64.0 END,
    l.is_taken_whole
  FROM (
    SELECT k.relation, bool_or(k.mode = 'AccessExclusiveLock') AS is_taken_whole FROM pg_locks k
    WHERE k.pid = pg_backend_pid() AND k.locktype = 'relation' AND k.granted
      AND k.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
      AND k.mode IN ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
    GROUP BY k.relation
  ) l JOIN pg_class c ON c.oid = l.relation
  WHERE c.relkind IN ('r', 'p', 'f', 'S') AND c.relpersistence <> 't' AND NOT stage.is_internal_schema(c.relnamespace)
    AND c.relnamespace NOT IN ('pg_catalog'::regnamespace, 'pg_toast'::regnamespace);
END $$;
REVOKE ALL ON FUNCTION stage.written_relations() FROM PUBLIC;
