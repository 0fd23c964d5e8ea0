-- Returns a stamp that changes whenever stage.table_signature does, and costs a small part of it; NULL when the table is gone. It covers
-- the row versions of every catalog entry that stage.table_definition reads, except those that stage.system_stamp covers. It may change
-- when the definition did not (a GRANT does that).
-- A changed entry has a version that none had before it, so the hash of all versions together differs.
-- The settings force index scans: the planner does not know that few entries belong to a table, and would read whole catalogs.
CREATE OR REPLACE FUNCTION stage.definition_stamp(p_relation oid) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off AS $$
BEGIN
  RETURN (
    WITH RECURSIVE above (relation) AS (
      SELECT p_relation
      UNION SELECT i.inhparent FROM above b JOIN pg_inherits i ON i.inhrelid = b.relation
    ), own (relation) AS MATERIALIZED (
      -- guard: keys of parents and objects of partitions belong to a definition
      SELECT b.relation FROM above b UNION SELECT t.relid::oid FROM pg_partition_tree(p_relation) t
    ), entry (class, object, version) AS MATERIALIZED (
      SELECT 'pg_class'::regclass::oid, c.oid, c.xmin FROM own o JOIN pg_class c ON c.oid = o.relation
      UNION ALL SELECT 'pg_attrdef'::regclass, d.oid, d.xmin FROM own o JOIN pg_attrdef d ON d.adrelid = o.relation
      UNION ALL SELECT 'pg_constraint'::regclass, k.oid, k.xmin FROM own o JOIN pg_constraint k ON k.conrelid = o.relation
      UNION ALL SELECT 'pg_class'::regclass, c.oid, c.xmin FROM own o JOIN pg_index x ON x.indrelid = o.relation
        JOIN pg_class c ON c.oid = x.indexrelid
      UNION ALL SELECT 'pg_trigger'::regclass, t.oid, t.xmin FROM own o JOIN pg_trigger t ON t.tgrelid = o.relation
      -- foreign keys of others
      UNION ALL SELECT 'pg_constraint'::regclass, k.oid, k.xmin FROM own o JOIN pg_trigger t ON t.tgrelid = o.relation
        JOIN pg_constraint k ON k.oid = t.tgconstraint WHERE k.conrelid <> o.relation
      UNION ALL SELECT 'pg_policy'::regclass, p.oid, p.xmin FROM own o JOIN pg_policy p ON p.polrelid = o.relation
      UNION ALL SELECT 'pg_rewrite'::regclass, r.oid, r.xmin FROM own o JOIN pg_rewrite r ON r.ev_class = o.relation
    ), referenced (class, object) AS MATERIALIZED (
      SELECT d.refclassid, d.refobjid FROM entry e JOIN pg_depend d ON d.classid = e.class AND d.objid = e.object
      WHERE d.refclassid <> 'pg_class'::regclass OR d.refobjid NOT IN (SELECT o.relation FROM own o)
      -- sequences of columns
      UNION SELECT d.classid, d.objid FROM own o JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = o.relation
      WHERE d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
    ), type (type) AS (
      SELECT r.object FROM referenced r WHERE r.class = 'pg_type'::regclass
      -- guard: a definition depends on the types below domains and arrays
      UNION SELECT u.type FROM type y JOIN pg_type t ON t.oid = y.type
        CROSS JOIN LATERAL (VALUES (t.typbasetype), (t.typelem)) u (type) WHERE u.type <> 0
    ), used (class, object) AS MATERIALIZED (
      SELECT r.class, r.object FROM referenced r
      UNION SELECT 'pg_type'::regclass, y.type FROM type y
      -- defaults of domains
      UNION SELECT d.refclassid, d.refobjid FROM type y JOIN pg_type t ON t.oid = y.type AND t.typtype = 'd'
        JOIN pg_depend d ON d.classid = 'pg_type'::regclass AND d.objid = t.oid
    ), other (relation) AS MATERIALIZED (
      SELECT DISTINCT r.relation FROM own o JOIN pg_trigger t ON t.tgrelid = o.relation
      CROSS JOIN LATERAL (
        SELECT t.tgconstrrelid AS relation
        UNION ALL SELECT p.relid::oid FROM pg_partition_tree(pg_partition_root(t.tgconstrrelid)) p) r
      WHERE t.tgconstrrelid <> 0
    ), named (namespace, version) AS (
      SELECT c.relnamespace, c.xmin FROM own o JOIN pg_class c ON c.oid = o.relation
      UNION ALL SELECT c.relnamespace, c.xmin FROM other o JOIN pg_class c ON c.oid = o.relation
      UNION ALL SELECT c.relnamespace, c.xmin FROM used u JOIN pg_class c ON c.oid = u.object WHERE u.class = 'pg_class'::regclass
      -- guard: a definition depends on functions
      UNION ALL SELECT p.pronamespace, p.xmin FROM used u JOIN pg_proc p ON p.oid = u.object WHERE u.class = 'pg_proc'::regclass
      UNION ALL SELECT p.oprnamespace, p.xmin FROM used u JOIN pg_operator p ON p.oid = u.object WHERE u.class = 'pg_operator'::regclass
      UNION ALL SELECT c.opcnamespace, c.xmin FROM used u JOIN pg_opclass c ON c.oid = u.object WHERE u.class = 'pg_opclass'::regclass
      UNION ALL SELECT c.collnamespace, c.xmin FROM used u JOIN pg_collation c ON c.oid = u.object WHERE u.class = 'pg_collation'::regclass
      -- guard: a definition depends on configurations of text search
      UNION ALL SELECT c.cfgnamespace, c.xmin FROM used u JOIN pg_ts_config c ON c.oid = u.object WHERE u.class = 'pg_ts_config'::regclass
      UNION ALL SELECT c.dictnamespace, c.xmin FROM used u JOIN pg_ts_dict c ON c.oid = u.object WHERE u.class = 'pg_ts_dict'::regclass
      UNION ALL SELECT u.object, NULL FROM used u WHERE u.class = 'pg_namespace'::regclass
      UNION ALL SELECT t.typnamespace, t.xmin FROM used u JOIN pg_type t ON t.oid = u.object WHERE u.class = 'pg_type'::regclass
    ), version (version) AS (
      SELECT e.version FROM entry e
      UNION ALL SELECT n.version FROM named n WHERE n.version IS NOT NULL
      UNION ALL SELECT s.xmin FROM (SELECT DISTINCT n.namespace FROM named n) n JOIN pg_namespace s ON s.oid = n.namespace
      UNION ALL SELECT a.xmin FROM own o JOIN pg_attribute a ON a.attrelid = o.relation AND a.attnum > 0
      UNION ALL SELECT x.xmin FROM own o JOIN pg_index x ON x.indrelid = o.relation
      UNION ALL SELECT h.xmin FROM own o JOIN pg_inherits h ON h.inhrelid = o.relation
      UNION ALL SELECT h.xmin FROM own o JOIN pg_inherits h ON h.inhparent = o.relation
      UNION ALL SELECT p.xmin FROM own o JOIN pg_partitioned_table p ON p.partrelid = o.relation
      UNION ALL SELECT h.xmin FROM other o JOIN pg_inherits h ON h.inhrelid = o.relation
      -- this includes the tables on the other side of foreign keys
      -- guard: a definition depends on the attributes of composite types
      UNION ALL SELECT a.xmin FROM used u JOIN pg_attribute a ON a.attrelid = u.object AND a.attnum > 0 WHERE u.class = 'pg_class'::regclass
      UNION ALL SELECT m.xmin FROM used u JOIN pg_opclass c ON c.oid = u.object JOIN pg_amop m ON m.amopfamily = c.opcfamily
        WHERE u.class = 'pg_opclass'::regclass
      UNION ALL SELECT l.xmin FROM used u JOIN pg_proc p ON p.oid = u.object JOIN pg_language l ON l.oid = p.prolang
        WHERE u.class = 'pg_proc'::regclass
      -- guard: a definition depends on the labels of enums
      UNION ALL SELECT m.xmin FROM used u JOIN pg_enum m ON m.enumtypid = u.object WHERE u.class = 'pg_type'::regclass
      -- guard: a definition depends on casts to json
      UNION ALL SELECT k.xmin FROM used u JOIN pg_cast k ON k.castsource = u.object AND k.casttarget = 'json'::regtype
        WHERE u.class = 'pg_type'::regclass
      -- stage.code_path chooses from these
      UNION ALL SELECT s.xmin FROM pg_namespace s WHERE s.nspname !~ '^(pg|stage)_' AND EXISTS (SELECT FROM used u WHERE u.class = 'pg_proc'::regclass)
      UNION ALL SELECT r.xmin FROM pg_db_role_setting r WHERE EXISTS (SELECT FROM used u WHERE u.class = 'pg_proc'::regclass)
    )
    -- guard: a definition depends on whether policies apply to the service
    SELECT concat_ws('.', count(*), sum(hashtextextended(v.version::text, 0)), row_security_active(c.oid))
    FROM pg_class c CROSS JOIN version v WHERE c.oid = p_relation GROUP BY c.oid
  );
END $$;
