-- Returns the relations that stage.table_stamp reads, the table itself first: those on the other side of its foreign keys, partitions with
-- their partitioned tables.
CREATE OR REPLACE FUNCTION stage.stamped_relations(p_relation oid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT to_jsonb(p_relation::bigint || ARRAY(
    SELECT DISTINCT o.relation::bigint FROM pg_trigger t CROSS JOIN LATERAL (VALUES (t.tgconstrrelid), (pg_partition_root(t.tgconstrrelid))) o (relation)
    -- guard: the plan with a stamp depends on the tables on the other side of foreign keys
    WHERE t.tgrelid = p_relation AND o.relation NOT IN (0, p_relation) ORDER BY 1))
$$;
