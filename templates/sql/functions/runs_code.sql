-- Returns whether staging rows of a relation may run user code: in its defaults, checks, indexes, policies, domains or partition keys, or
-- those of its partitions and children. For a view it is always true. p_policies: whether policies apply to who stages them.
-- For most tables the last query calls no further function. That matters because a new connection plans each query, which takes longer than
-- running it.
CREATE OR REPLACE FUNCTION stage.runs_code(p_relation oid, p_policies boolean DEFAULT true) RETURNS boolean
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_kind pg_catalog."char";
  v_has_children pg_catalog.bool;
  v_relations pg_catalog.oid[] := ARRAY[p_relation];
  v_catalogs pg_catalog.oid[];
  v_objects pg_catalog.oid[];
BEGIN
  SELECT c.relkind, c.relhassubclass INTO v_kind, v_has_children FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) p_relation;
  IF v_kind OPERATOR(pg_catalog.=) 'v'::pg_catalog."char" THEN RETURN true; END IF;
  IF v_has_children THEN
    v_relations := ARRAY(
      WITH RECURSIVE tree(relation) AS (
        SELECT p_relation
        UNION SELECT i.inhrelid FROM tree t JOIN pg_catalog.pg_inherits i ON i.inhparent OPERATOR(pg_catalog.=) t.relation
      )
      SELECT t.relation FROM tree t);
  END IF;
  SELECT pg_catalog.array_agg(e.catalog), pg_catalog.array_agg(e.object)
  INTO v_catalogs, v_objects
  FROM (
    SELECT 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid, r.relation FROM pg_catalog.unnest(v_relations) r(relation)
    UNION ALL SELECT 'pg_catalog.pg_class'::pg_catalog.regclass, i.indexrelid FROM pg_catalog.pg_index i WHERE i.indrelid OPERATOR(pg_catalog.=) ANY (v_relations)
    UNION ALL SELECT 'pg_catalog.pg_attrdef'::pg_catalog.regclass, d.oid FROM pg_catalog.pg_attrdef d WHERE d.adrelid OPERATOR(pg_catalog.=) ANY (v_relations)
    UNION ALL SELECT 'pg_catalog.pg_policy'::pg_catalog.regclass, p.oid FROM pg_catalog.pg_policy p WHERE p_policies AND p.polrelid OPERATOR(pg_catalog.=) ANY (v_relations)
    UNION ALL SELECT 'pg_catalog.pg_constraint'::pg_catalog.regclass, k.oid FROM pg_catalog.pg_constraint k WHERE k.conrelid OPERATOR(pg_catalog.=) ANY (v_relations)
  ) e(catalog, object);
  RETURN EXISTS (
    SELECT FROM ROWS FROM (pg_catalog.unnest(v_catalogs), pg_catalog.unnest(v_objects)) o(catalog, object)
    -- OFFSET 0: the planner reads the dependencies of each object, and not all of pg_depend
    CROSS JOIN LATERAL (
      SELECT e.refclassid, e.refobjid FROM pg_catalog.pg_depend e
      WHERE e.classid OPERATOR(pg_catalog.=) o.catalog AND e.objid OPERATOR(pg_catalog.=) o.object OFFSET 0) d
    WHERE CASE
      WHEN d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass THEN stage.is_user_code(d.refobjid)
      WHEN d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_operator'::pg_catalog.regclass
        THEN stage.is_user_code((SELECT p.oprcode::pg_catalog.oid FROM pg_catalog.pg_operator p WHERE p.oid OPERATOR(pg_catalog.=) d.refobjid))
      -- guard: the type of a column or of a cast is a domain, or consists of some: where it did not come with the server, all domains count
      WHEN d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_type'::pg_catalog.regclass THEN stage.domains_run_code() END);
END $$;
