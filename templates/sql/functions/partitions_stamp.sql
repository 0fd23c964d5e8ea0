-- Returns a stamp, like that of stage.table_stamp, of what the partitions of a table have of their own: constraints from them and to them,
-- indexes, columns, triggers. With many partitions there is much to read, so it is queried when a connection first names the table, not with each
-- statement.
CREATE OR REPLACE FUNCTION stage.partitions_stamp(p_relation oid) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- planning the query takes longer than running it
  IF NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = p_relation AND c.relkind = 'p') THEN RETURN NULL; END IF;
  RETURN (
    SELECT count(*) || '.' || sum(v.xmin::text::int8)
    FROM pg_partition_tree(p_relation) t CROSS JOIN LATERAL (
      SELECT k.xmin FROM pg_constraint k WHERE k.conrelid = t.relid
      UNION ALL SELECT i.xmin FROM pg_index i WHERE i.indrelid = t.relid
      UNION ALL SELECT g.xmin FROM pg_trigger g WHERE g.tgrelid = t.relid AND (g.tgconstrrelid <> 0 OR NOT g.tgisinternal)
      UNION ALL SELECT r.xmin FROM pg_trigger g JOIN pg_class r ON r.oid IN (g.tgconstrrelid, pg_partition_root(g.tgconstrrelid)) WHERE g.tgrelid = t.relid
      UNION ALL SELECT a.xmin FROM pg_attribute a WHERE a.attrelid = t.relid AND a.attnum > 0
      UNION ALL SELECT d.xmin FROM pg_attrdef d WHERE d.adrelid = t.relid) v
    WHERE t.level > 0
  );
END $$;
