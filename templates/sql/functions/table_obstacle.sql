-- Returns why writes to a table cannot be staged, as the end of the sentence "cannot stage writes to ...: it ...", or NULL.
-- p_named: for a partition, why not by its own name; that it is a partition is no obstacle then.
DROP FUNCTION IF EXISTS stage.table_obstacle(oid);
CREATE OR REPLACE FUNCTION stage.table_obstacle(p_relation oid, p_named boolean DEFAULT false) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (
    SELECT CASE
      WHEN c.relkind NOT IN ('r', 'p') THEN 'is not a table'
      WHEN c.relnamespace IN (to_regnamespace('pg_catalog'), to_regnamespace('information_schema')) OR stage.is_internal_schema(c.relnamespace)
        THEN 'belongs to the system'
      WHEN c.relpersistence = 't' THEN 'is a temporary table'
      WHEN row_security_active(c.oid)
        THEN 'has row-level security that applies to the service account, which has to own the table or to have BYPASSRLS'
      WHEN EXISTS (SELECT 1 FROM pg_rewrite r WHERE r.ev_class = c.oid) THEN 'has rules'
      WHEN EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname LIKE '\_stage\_%')
        THEN 'has a column whose name begins with _stage_'
      WHEN EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'c' AND 0 > ANY (k.conkey))
        THEN 'has a check over a system column'
      WHEN EXISTS (
        SELECT 1 FROM pg_attrdef d JOIN pg_depend p ON p.classid = 'pg_attrdef'::regclass AND p.objid = d.oid AND p.refobjsubid < 0
        WHERE d.adrelid = c.oid OR d.adrelid IN (SELECT relid FROM pg_partition_tree(c.oid)))
        THEN 'has a generated column over a system column'
      -- such an expression names the table, and would have to name its shadow table
      WHEN EXISTS (
        SELECT 1 FROM pg_constraint k
        WHERE k.contype = 'c' AND 0 = ANY (k.conkey) AND (k.conrelid = c.oid OR k.conrelid IN (SELECT relid FROM pg_partition_tree(c.oid))))
        THEN 'has a check over the row as a whole'
      WHEN EXISTS (
        SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND (i.indisunique OR i.indisexclusion)
          AND (i.indexprs IS NOT NULL OR i.indpred IS NOT NULL)
          AND strpos(pg_get_indexdef(i.indexrelid), quote_ident(c.relname) || '.*') > 0)
        THEN 'has a unique index or an exclusion constraint over the row as a whole'
      WHEN c.relnatts = 0 OR NOT EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)
        THEN 'has no columns'
      -- the shadow table has columns of its own, and PostgreSQL allows 1600
      WHEN (SELECT count(*) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) > 1500
        THEN 'has more than 1500 columns'
      WHEN c.relispartition AND NOT p_named THEN 'is a partition; write to its partitioned table instead'
    END
    FROM pg_class c WHERE c.oid = p_relation
  );
END $$;
