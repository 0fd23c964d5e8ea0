-- Returns why the row triggers of a partitioned table do not fire while its rows are staged, as the end of "trigger ...": its partitions
-- differ from it. NULL if they may fire.
CREATE OR REPLACE FUNCTION stage.partitions_obstacle(p_relation oid) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE
      -- guard: triggers fire where PostgreSQL fires the same ones for the rows of all partitions
      WHEN bool_or(g.triggers <> (SELECT count(*) FROM pg_trigger t WHERE t.tgrelid = p_relation AND NOT t.tgisinternal AND t.tgtype & 1 <> 0 AND t.tgenabled IN ('O', 'A')))
        OR bool_or(g.own) THEN 'is one of a table whose partitions have other triggers'
      -- guard: a row of a partition is passed as a row of the table
      WHEN bool_or(ARRAY(SELECT a.attname FROM pg_attribute a WHERE a.attrelid = p.relid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum)
          <> ARRAY(SELECT a.attname FROM pg_attribute a WHERE a.attrelid = p_relation AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum)) THEN 'is one of a table whose partitions have their columns in another order'
    END
  FROM pg_partition_tree(p_relation) p CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE t.tgenabled IN ('O', 'A')) AS triggers, coalesce(bool_or(t.tgparentid = 0), false) AS own
    FROM pg_trigger t WHERE t.tgrelid = p.relid AND NOT t.tgisinternal AND t.tgtype & 1 <> 0) g
  WHERE p.level > 0
$$;
