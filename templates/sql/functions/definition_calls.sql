-- Returns the functions in C that the definition of a relation calls and that may do more than compute: those in defaults, generated
-- columns, checks, indexes, policies, partition keys, and the domains of its columns and of casts within these expressions, and in the same
-- of its partitions and children. The result is an array of what src/sql/functions/effects.ts evaluates. The settings force index scans,
-- see stage.definition_stamp.
CREATE OR REPLACE FUNCTION stage.definition_calls(p_relation oid) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET jit = off SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN (
  WITH RECURSIVE tree(relation) AS (
    SELECT p_relation
    UNION SELECT i.inhrelid FROM tree t JOIN pg_inherits i ON i.inhparent = t.relation
  ), definition(class, object, tree) AS (
    SELECT 'pg_class'::regclass, t.relation, p.partexprs::text FROM tree t LEFT JOIN pg_partitioned_table p ON p.partrelid = t.relation
    UNION ALL SELECT 'pg_attrdef'::regclass, d.oid, d.adbin::text FROM tree t JOIN pg_attrdef d ON d.adrelid = t.relation
    -- guard: the checks of a table convert values to domains
    UNION ALL SELECT 'pg_constraint'::regclass, k.oid, k.conbin::text FROM tree t JOIN pg_constraint k ON k.conrelid = t.relation
    UNION ALL SELECT 'pg_class'::regclass, i.indexrelid, concat(i.indexprs::text, i.indpred::text) FROM tree t JOIN pg_index i ON i.indrelid = t.relation
    UNION ALL SELECT 'pg_policy'::regclass, p.oid, concat(p.polqual::text, p.polwithcheck::text) FROM tree t JOIN pg_policy p ON p.polrelid = t.relation
  ), types(type) AS (
    SELECT stage.types_in(ARRAY(
      SELECT d.refobjid FROM definition o JOIN pg_depend d ON d.classid = o.class AND d.objid = o.object
      WHERE d.refclassid = 'pg_type'::regclass AND d.refobjid >= 16384))
  ), expressions(tree) AS (
    SELECT o.tree FROM definition o
    UNION ALL SELECT k.conbin::text FROM types s JOIN pg_constraint k ON k.contypid = s.type AND k.conbin IS NOT NULL
    -- guard: a domain has a default
    UNION ALL SELECT y.typdefaultbin::text FROM types s JOIN pg_type y ON y.oid = s.type AND y.typdefaultbin IS NOT NULL
  ), called(function) AS (
    SELECT DISTINCT f.function FROM expressions e CROSS JOIN LATERAL stage.called_in(e.tree) f(function)
  )
  SELECT coalesce(jsonb_agg(DISTINCT jsonb_build_object(
    'schema', coalesce(k.schema, n.nspname), 'name', coalesce(k.name, p.proname), 'isVolatile', coalesce(k.volatility, p.provolatile) = 'v',
    'isImmutable', false, 'isCompiled', true, 'isExtension', coalesce(k.is_extension, stage.is_of_extension('pg_proc', p.oid)))), '[]')
  FROM called c
  JOIN pg_proc p ON p.oid = c.function
  JOIN pg_namespace n ON n.oid = p.pronamespace
  JOIN pg_language l ON l.oid = p.prolang
  LEFT JOIN LATERAL (SELECT * FROM stage.known_function(p.prolang, p.prosrc, p.probin) WHERE stage.is_made_by_users('pg_proc', p.oid) OFFSET 0) k ON true
  WHERE l.lanname IN ('internal', 'c') AND coalesce(k.volatility, p.provolatile) <> 'i'
);
END $$;
