-- Returns the tables whose overlays show the rows of the given ones, referring tables before those that they refer to: the order in which
-- their deletions are applied. The partitioned table shows the rows of a partition; the partition itself is returned where that table is
-- not given. Overlays that an old snapshot hides were made a moment ago, for tables found behind others.
CREATE OR REPLACE FUNCTION stage.in_order_of_deletion(p_relations oid[]) RETURNS SETOF oid
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT u.relation
  FROM (SELECT x.relation, max(x.number) AS number FROM unnest(p_relations) WITH ORDINALITY AS x (relation, number) GROUP BY 1) u
  LEFT JOIN stage.overlay o ON o.relation = coalesce(pg_partition_root(u.relation), u.relation)
  WHERE NOT EXISTS (
    SELECT 1 FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhrelid = u.relation AND i.inhparent = ANY (p_relations) AND c.relispartition)
  ORDER BY o.foreign_key_rank DESC NULLS FIRST, u.number DESC
$$;
