-- Returns the functions in C that the definition of a relation calls and that may do more than compute: those in defaults, generated
-- columns, checks, indexes, policies, partition keys, and the domains of its columns and of casts within these expressions, and in the same
-- of its partitions and children. p_policies: whether policies count. The result is an array of what src/sql/functions/effects.ts evaluates.
-- The settings force index scans, see stage.definition_stamp.
-- Each step runs only where the one before found something, because a new connection plans each query, which takes longer than running it.
CREATE OR REPLACE FUNCTION stage.definition_calls(p_relation oid, p_policies boolean DEFAULT true) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET jit = off SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_relations oid[] := ARRAY[p_relation];
  v_catalogs oid[];
  v_objects oid[];
  v_trees text[];
  v_types oid[];
  v_functions oid[];
BEGIN
  IF (SELECT c.relhassubclass FROM pg_class c WHERE c.oid = p_relation) THEN
    v_relations := ARRAY(
      WITH RECURSIVE tree(relation) AS (
        SELECT p_relation
        UNION SELECT i.inhrelid FROM tree t JOIN pg_inherits i ON i.inhparent = t.relation
      )
      SELECT t.relation FROM tree t);
  END IF;
  SELECT array_agg(d.class), array_agg(d.object), array_agg(d.tree) FILTER (WHERE d.tree <> '')
  INTO v_catalogs, v_objects, v_trees
  FROM (
    SELECT 'pg_class'::regclass::oid, r.relation, NULL::text FROM unnest(v_relations) r(relation)
    UNION ALL SELECT 'pg_class'::regclass, p.partrelid, p.partexprs::text FROM pg_partitioned_table p WHERE p.partrelid = ANY (v_relations)
    UNION ALL SELECT 'pg_attrdef'::regclass, d.oid, d.adbin::text FROM pg_attrdef d WHERE d.adrelid = ANY (v_relations)
    -- guard: the checks of a table convert values to domains
    UNION ALL SELECT 'pg_constraint'::regclass, k.oid, k.conbin::text FROM pg_constraint k WHERE k.conrelid = ANY (v_relations)
    UNION ALL SELECT 'pg_class'::regclass, i.indexrelid, concat(i.indexprs::text, i.indpred::text) FROM pg_index i WHERE i.indrelid = ANY (v_relations)
    UNION ALL SELECT 'pg_policy'::regclass, p.oid, concat(p.polqual::text, p.polwithcheck::text) FROM pg_policy p WHERE p_policies AND p.polrelid = ANY (v_relations)
  ) d(class, object, tree);
  v_types := ARRAY(
    SELECT d.refobjid FROM ROWS FROM (unnest(v_catalogs), unnest(v_objects)) o(catalog, object)
    CROSS JOIN LATERAL (
      -- OFFSET 0: the planner reads the dependencies of each object
      SELECT e.refobjid FROM pg_depend e WHERE e.classid = o.catalog AND e.objid = o.object AND e.refclassid = 'pg_type'::regclass OFFSET 0) d
    WHERE d.refobjid >= 16384);
  IF v_types <> '{}' THEN
    v_types := ARRAY(SELECT stage.types_in(v_types));
    v_trees := v_trees
      || ARRAY(SELECT k.conbin::text FROM pg_constraint k WHERE k.contypid = ANY (v_types) AND k.conbin IS NOT NULL)
      -- guard: a domain has a default
      || ARRAY(SELECT y.typdefaultbin::text FROM pg_type y WHERE y.oid = ANY (v_types) AND y.typdefaultbin IS NOT NULL);
  END IF;
  IF v_trees IS NULL THEN RETURN '[]'; END IF;
  v_functions := ARRAY(SELECT DISTINCT f.function FROM unnest(v_trees) e(tree) CROSS JOIN LATERAL stage.called_in(e.tree) f(function));
  -- functions of extensions have a volatility of their own, see stage.known_function
  v_functions := ARRAY(SELECT p.oid FROM pg_proc p WHERE p.oid = ANY (v_functions) AND (p.oid >= 16384 OR p.provolatile <> 'i'));
  IF v_functions = '{}' THEN RETURN '[]'; END IF;
  RETURN (
    SELECT coalesce(jsonb_agg(DISTINCT jsonb_build_object(
      'schema', coalesce(k.schema, n.nspname), 'name', coalesce(k.name, p.proname), 'isVolatile', coalesce(k.volatility, p.provolatile) = 'v',
      'isImmutable', false, 'isCompiled', true, 'isExtension', coalesce(k.is_extension, stage.is_of_extension('pg_proc', p.oid)))), '[]')
    FROM pg_proc p
    JOIN pg_namespace n ON n.oid = p.pronamespace
    JOIN pg_language l ON l.oid = p.prolang
    LEFT JOIN LATERAL (SELECT * FROM stage.known_function(p.prolang, p.prosrc, p.probin) WHERE stage.is_made_by_users('pg_proc', p.oid) OFFSET 0) k ON true
    WHERE p.oid = ANY (v_functions) AND l.lanname IN ('internal', 'c') AND coalesce(k.volatility, p.provolatile) <> 'i');
END $$;
