-- Returns a stamp, cheap to compute, that shows whether any catalog entry of a table was rewritten: it consists of the entries' row
-- versions.
-- It may change when the definition did not (a GRANT does that); it always changes when the definition did.
-- Everything is qualified instead of a SET clause, which would cost more than the rest.
CREATE OR REPLACE FUNCTION stage.table_stamp(p_relation oid) RETURNS text
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT pg_catalog.count(*)::pg_catalog.text OPERATOR(pg_catalog.||) '.' OPERATOR(pg_catalog.||) pg_catalog.sum(e.version::pg_catalog.text::pg_catalog.int8)::pg_catalog.text
    FROM (
      SELECT c.xmin FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) p_relation
      UNION ALL SELECT a.xmin FROM pg_catalog.pg_attribute a WHERE a.attrelid OPERATOR(pg_catalog.=) p_relation AND a.attnum OPERATOR(pg_catalog.>) 0
      UNION ALL SELECT d.xmin FROM pg_catalog.pg_attrdef d WHERE d.adrelid OPERATOR(pg_catalog.=) p_relation
      UNION ALL SELECT k.xmin FROM pg_catalog.pg_constraint k WHERE k.conrelid OPERATOR(pg_catalog.=) p_relation
      UNION ALL SELECT i.xmin FROM pg_catalog.pg_index i WHERE i.indrelid OPERATOR(pg_catalog.=) p_relation
      UNION ALL SELECT t.xmin FROM pg_catalog.pg_trigger t WHERE t.tgrelid OPERATOR(pg_catalog.=) p_relation
      UNION ALL SELECT p.xmin FROM pg_catalog.pg_policy p WHERE p.polrelid OPERATOR(pg_catalog.=) p_relation
      -- the names of the schema and of tables on the other side of foreign keys
      UNION ALL SELECT n.xmin FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace WHERE c.oid OPERATOR(pg_catalog.=) p_relation
      UNION ALL SELECT r.xmin FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class r ON r.oid OPERATOR(pg_catalog.=) t.tgconstrrelid WHERE t.tgrelid OPERATOR(pg_catalog.=) p_relation
      -- where such a table is a partition, the partitioned table that is staged
      UNION ALL SELECT r.xmin FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class r ON r.oid OPERATOR(pg_catalog.=) pg_catalog.pg_partition_root(t.tgconstrrelid)
        WHERE t.tgrelid OPERATOR(pg_catalog.=) p_relation AND t.tgconstrrelid OPERATOR(pg_catalog.<>) r.oid
      UNION ALL SELECT h.xmin FROM pg_catalog.pg_inherits h WHERE h.inhparent OPERATOR(pg_catalog.=) p_relation
      -- partitions of partitions
      UNION ALL SELECT h.xmin FROM pg_catalog.pg_partition_tree(p_relation) t
        JOIN pg_catalog.pg_inherits h ON h.inhparent OPERATOR(pg_catalog.=) t.relid WHERE t.level OPERATOR(pg_catalog.>) 0
      -- what its expressions name: another object may have the name by now
      -- guard: what a definition names is what it was
      UNION ALL SELECT v.version FROM stage.used_in_definition(p_relation) u CROSS JOIN LATERAL (
        SELECT f.xmin, f.pronamespace FROM pg_catalog.pg_proc f WHERE u.catalog OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass AND f.oid OPERATOR(pg_catalog.=) u.object
        UNION ALL SELECT o.xmin, o.oprnamespace FROM pg_catalog.pg_operator o WHERE u.catalog OPERATOR(pg_catalog.=) 'pg_catalog.pg_operator'::pg_catalog.regclass AND o.oid OPERATOR(pg_catalog.=) u.object
        UNION ALL SELECT y.xmin, y.typnamespace FROM pg_catalog.pg_type y WHERE u.catalog OPERATOR(pg_catalog.=) 'pg_catalog.pg_type'::pg_catalog.regclass AND y.oid OPERATOR(pg_catalog.=) u.object
        UNION ALL SELECT b.xmin, NULL FROM pg_catalog.pg_enum b WHERE u.catalog OPERATOR(pg_catalog.=) 'pg_catalog.pg_type'::pg_catalog.regclass AND b.enumtypid OPERATOR(pg_catalog.=) u.object
        UNION ALL SELECT s.xmin, s.relnamespace FROM pg_catalog.pg_class s WHERE u.catalog OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass AND s.oid OPERATOR(pg_catalog.=) u.object
      ) w(version, schema) CROSS JOIN LATERAL (SELECT w.version UNION ALL SELECT n.xmin FROM pg_catalog.pg_namespace n WHERE n.oid OPERATOR(pg_catalog.=) w.schema) v(version)
    ) e(version));
END $$;
