-- Returns a stamp, cheap to compute, that shows whether any catalog entry of a table was rewritten: it consists of the entries' row
-- versions.
-- It may change when the definition did not (a GRANT does that); it always changes when the definition did.
-- A new connection plans its queries, which takes longer than running them, so catalogs of which most tables have no entry are read only
-- where pg_class shows that there may be some: its flags are set with the first entry.
-- Everything is qualified, because it runs with the search path of its caller.
CREATE OR REPLACE FUNCTION stage.table_stamp(p_relation oid) RETURNS text
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_schema pg_catalog.oid;
  v_has_rules pg_catalog.bool;
  v_has_triggers pg_catalog.bool;
  v_has_children pg_catalog.bool;
  v_has_identity pg_catalog.bool;
  v_count pg_catalog.int8;
  v_sum pg_catalog.numeric;
  v_catalogs pg_catalog.oid[];
  v_objects pg_catalog.oid[];
  v_more pg_catalog.int8;
  v_more_sum pg_catalog.numeric;
BEGIN
  SELECT c.relnamespace, c.relhasrules, c.relhastriggers, c.relhassubclass INTO v_schema, v_has_rules, v_has_triggers, v_has_children
  FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) p_relation;
  SELECT pg_catalog.count(e.version), pg_catalog.sum(e.version::pg_catalog.text::pg_catalog.int8),
    pg_catalog.array_agg(e.catalog) FILTER (WHERE e.catalog IS NOT NULL), pg_catalog.array_agg(e.object) FILTER (WHERE e.catalog IS NOT NULL), pg_catalog.bool_or(e.is_identity)
  INTO v_count, v_sum, v_catalogs, v_objects, v_has_identity
  FROM (
    SELECT c.xmin, 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid, c.oid, false FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) p_relation
    UNION ALL SELECT n.xmin, NULL, NULL, false FROM pg_catalog.pg_namespace n WHERE n.oid OPERATOR(pg_catalog.=) v_schema
    UNION ALL SELECT a.xmin, NULL, NULL, a.attidentity OPERATOR(pg_catalog.<>) ''::pg_catalog."char" FROM pg_catalog.pg_attribute a WHERE a.attrelid OPERATOR(pg_catalog.=) p_relation AND a.attnum OPERATOR(pg_catalog.>) 0
    UNION ALL SELECT d.xmin, 'pg_catalog.pg_attrdef'::pg_catalog.regclass, d.oid, false FROM pg_catalog.pg_attrdef d WHERE d.adrelid OPERATOR(pg_catalog.=) p_relation
    UNION ALL SELECT k.xmin, 'pg_catalog.pg_constraint'::pg_catalog.regclass, k.oid, false FROM pg_catalog.pg_constraint k WHERE k.conrelid OPERATOR(pg_catalog.=) p_relation
    UNION ALL SELECT i.xmin, 'pg_catalog.pg_class'::pg_catalog.regclass, i.indexrelid, false FROM pg_catalog.pg_index i WHERE i.indrelid OPERATOR(pg_catalog.=) p_relation
    UNION ALL SELECT p.xmin, 'pg_catalog.pg_policy'::pg_catalog.regclass, p.oid, false FROM pg_catalog.pg_policy p WHERE p.polrelid OPERATOR(pg_catalog.=) p_relation
  ) e(version, catalog, object, is_identity);
  -- guard: a stamp covers the sequences of identity columns
  IF v_has_identity THEN
    SELECT v_count OPERATOR(pg_catalog.+) pg_catalog.count(*), v_sum OPERATOR(pg_catalog.+) coalesce(pg_catalog.sum(s.xmin::pg_catalog.text::pg_catalog.int8), 0) INTO v_count, v_sum
    FROM pg_catalog.pg_attribute a
    JOIN pg_catalog.pg_depend d ON d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid OPERATOR(pg_catalog.=) p_relation AND d.refobjsubid OPERATOR(pg_catalog.=) a.attnum
    JOIN pg_catalog.pg_class s ON s.oid OPERATOR(pg_catalog.=) d.objid
    WHERE a.attrelid OPERATOR(pg_catalog.=) p_relation AND a.attidentity OPERATOR(pg_catalog.<>) ''::pg_catalog."char" AND d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass AND d.deptype OPERATOR(pg_catalog.=) 'i'::pg_catalog."char";
  END IF;
  IF v_has_rules THEN
    SELECT v_catalogs OPERATOR(pg_catalog.||) pg_catalog.array_agg(r.tableoid), v_objects OPERATOR(pg_catalog.||) pg_catalog.array_agg(r.oid) INTO v_catalogs, v_objects
    FROM pg_catalog.pg_rewrite r WHERE r.ev_class OPERATOR(pg_catalog.=) p_relation;
    -- the flag stays when a rule is dropped
    SELECT v_count OPERATOR(pg_catalog.+) pg_catalog.count(*), v_sum OPERATOR(pg_catalog.+) coalesce(pg_catalog.sum(r.xmin::pg_catalog.text::pg_catalog.int8), 0) INTO v_count, v_sum
    FROM pg_catalog.pg_rewrite r WHERE r.ev_class OPERATOR(pg_catalog.=) p_relation;
  END IF;
  -- its triggers, and the tables on the other side of foreign keys
  IF v_has_triggers THEN
    SELECT pg_catalog.count(e.version), pg_catalog.sum(e.version::pg_catalog.text::pg_catalog.int8) INTO v_more, v_more_sum
    FROM (
      SELECT t.xmin FROM pg_catalog.pg_trigger t WHERE t.tgrelid OPERATOR(pg_catalog.=) p_relation
      -- the names of tables on the other side of foreign keys
      UNION ALL SELECT r.xmin FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class r ON r.oid OPERATOR(pg_catalog.=) t.tgconstrrelid WHERE t.tgrelid OPERATOR(pg_catalog.=) p_relation
      -- the names of the keys themselves
      UNION ALL SELECT k.xmin FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_constraint k ON k.oid OPERATOR(pg_catalog.=) t.tgconstraint
        WHERE t.tgrelid OPERATOR(pg_catalog.=) p_relation AND k.conrelid OPERATOR(pg_catalog.<>) p_relation
      -- guard: a stamp covers the names of columns on the other side of foreign keys
      UNION ALL SELECT a.xmin FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_attribute a ON a.attrelid OPERATOR(pg_catalog.=) t.tgconstrrelid
        WHERE t.tgrelid OPERATOR(pg_catalog.=) p_relation AND a.attnum OPERATOR(pg_catalog.>) 0
      -- where such a table is a partition, the partitioned table that is staged
      UNION ALL SELECT r.xmin FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class r ON r.oid OPERATOR(pg_catalog.=) pg_catalog.pg_partition_root(t.tgconstrrelid)
        WHERE t.tgrelid OPERATOR(pg_catalog.=) p_relation AND t.tgconstrrelid OPERATOR(pg_catalog.<>) r.oid
    ) e(version);
    v_count := v_count OPERATOR(pg_catalog.+) v_more;
    v_sum := v_sum OPERATOR(pg_catalog.+) coalesce(v_more_sum, 0);
  END IF;
  -- its children and partitions
  IF v_has_children THEN
    SELECT pg_catalog.count(e.version), pg_catalog.sum(e.version::pg_catalog.text::pg_catalog.int8) INTO v_more, v_more_sum
    FROM (
      SELECT h.xmin FROM pg_catalog.pg_inherits h WHERE h.inhparent OPERATOR(pg_catalog.=) p_relation
      -- partitions of partitions
      UNION ALL SELECT h.xmin FROM pg_catalog.pg_partition_tree(p_relation) t
        JOIN pg_catalog.pg_inherits h ON h.inhparent OPERATOR(pg_catalog.=) t.relid WHERE t.level OPERATOR(pg_catalog.>) 0
    ) e(version);
    v_count := v_count OPERATOR(pg_catalog.+) v_more;
    v_sum := v_sum OPERATOR(pg_catalog.+) coalesce(v_more_sum, 0);
  END IF;
  -- what its expressions name: another object may have the name by now
  SELECT pg_catalog.array_agg(u.catalog), pg_catalog.array_agg(u.object) INTO v_catalogs, v_objects
  FROM stage.used_by(p_relation, v_catalogs, v_objects) u;
  -- guard: the objects that a definition names are the same as then
  IF v_objects IS NOT NULL THEN
    SELECT pg_catalog.count(v.version), pg_catalog.sum(v.version::pg_catalog.text::pg_catalog.int8) INTO v_more, v_more_sum
    FROM ROWS FROM (pg_catalog.unnest(v_catalogs), pg_catalog.unnest(v_objects)) u(catalog, object) CROSS JOIN LATERAL (
      SELECT f.xmin, f.pronamespace FROM pg_catalog.pg_proc f WHERE u.catalog OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass AND f.oid OPERATOR(pg_catalog.=) u.object
      UNION ALL SELECT o.xmin, o.oprnamespace FROM pg_catalog.pg_operator o WHERE u.catalog OPERATOR(pg_catalog.=) 'pg_catalog.pg_operator'::pg_catalog.regclass AND o.oid OPERATOR(pg_catalog.=) u.object
      UNION ALL SELECT y.xmin, y.typnamespace FROM pg_catalog.pg_type y WHERE u.catalog OPERATOR(pg_catalog.=) 'pg_catalog.pg_type'::pg_catalog.regclass AND y.oid OPERATOR(pg_catalog.=) u.object
      UNION ALL SELECT b.xmin, NULL FROM pg_catalog.pg_enum b WHERE u.catalog OPERATOR(pg_catalog.=) 'pg_catalog.pg_type'::pg_catalog.regclass AND b.enumtypid OPERATOR(pg_catalog.=) u.object
      UNION ALL SELECT s.xmin, s.relnamespace FROM pg_catalog.pg_class s WHERE u.catalog OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass AND s.oid OPERATOR(pg_catalog.=) u.object
      -- guard: a stamp covers the names of attributes
      UNION ALL SELECT a.xmin, NULL FROM pg_catalog.pg_attribute a WHERE u.catalog OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass AND a.attrelid OPERATOR(pg_catalog.=) u.object AND a.attnum OPERATOR(pg_catalog.>) 0
      -- guard: a stamp covers configurations of text search
      UNION ALL SELECT g.xmin, g.cfgnamespace FROM pg_catalog.pg_ts_config g WHERE u.catalog OPERATOR(pg_catalog.=) 'pg_catalog.pg_ts_config'::pg_catalog.regclass AND g.oid OPERATOR(pg_catalog.=) u.object
      UNION ALL SELECT t.xmin, t.dictnamespace FROM pg_catalog.pg_ts_dict t WHERE u.catalog OPERATOR(pg_catalog.=) 'pg_catalog.pg_ts_dict'::pg_catalog.regclass AND t.oid OPERATOR(pg_catalog.=) u.object
      UNION ALL SELECT l.xmin, l.collnamespace FROM pg_catalog.pg_collation l WHERE u.catalog OPERATOR(pg_catalog.=) 'pg_catalog.pg_collation'::pg_catalog.regclass AND l.oid OPERATOR(pg_catalog.=) u.object
      -- guard: a stamp covers schemas that a definition names
      UNION ALL SELECT n.xmin, NULL FROM pg_catalog.pg_namespace n WHERE u.catalog OPERATOR(pg_catalog.=) 'pg_catalog.pg_namespace'::pg_catalog.regclass AND n.oid OPERATOR(pg_catalog.=) u.object
    ) w(version, schema) CROSS JOIN LATERAL (SELECT w.version UNION ALL SELECT n.xmin FROM pg_catalog.pg_namespace n WHERE n.oid OPERATOR(pg_catalog.=) w.schema) v(version);
    v_count := v_count OPERATOR(pg_catalog.+) v_more;
    v_sum := v_sum OPERATOR(pg_catalog.+) coalesce(v_more_sum, 0);
  END IF;
  RETURN v_count OPERATOR(pg_catalog.||) '.' OPERATOR(pg_catalog.||) v_sum;  -- NULL if there is no such relation
END $$;
