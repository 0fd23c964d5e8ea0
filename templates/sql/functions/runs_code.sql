-- Returns whether staging rows of a relation may run user code: in its defaults, checks, indexes, policies, domains or partition keys, or
-- those of its partitions and children. For a view it is always true.
CREATE OR REPLACE FUNCTION stage.runs_code(p_relation oid) RETURNS boolean
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN (
  WITH RECURSIVE tree(relation) AS (
    SELECT p_relation
    UNION SELECT i.inhrelid FROM tree t JOIN pg_catalog.pg_inherits i ON i.inhparent OPERATOR(pg_catalog.=) t.relation
  ), relation AS (
    SELECT pg_catalog.array_agg(t.relation) AS oids FROM tree t
  ), used(function) AS (
    SELECT f.function FROM relation r CROSS JOIN LATERAL (
      SELECT * FROM stage.referenced_functions('pg_class', r.oids
        OPERATOR(pg_catalog.||) ARRAY(SELECT i.indexrelid FROM pg_catalog.pg_index i WHERE i.indrelid OPERATOR(pg_catalog.=) ANY (r.oids)))
      UNION ALL SELECT * FROM stage.referenced_functions('pg_attrdef',
        ARRAY(SELECT d.oid FROM pg_catalog.pg_attrdef d WHERE d.adrelid OPERATOR(pg_catalog.=) ANY (r.oids)))
      UNION ALL SELECT * FROM stage.referenced_functions('pg_policy',
        ARRAY(SELECT p.oid FROM pg_catalog.pg_policy p WHERE p.polrelid OPERATOR(pg_catalog.=) ANY (r.oids)))
      -- a column's type may be a domain, or consist of some: where it did not come with the server, all domains count
      UNION ALL SELECT * FROM stage.referenced_functions('pg_constraint', ARRAY(
        SELECT k.oid FROM pg_catalog.pg_constraint k
        WHERE k.conrelid OPERATOR(pg_catalog.=) ANY (r.oids)
          OR k.contypid OPERATOR(pg_catalog.<>) 0::pg_catalog.oid AND EXISTS (
            SELECT FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid OPERATOR(pg_catalog.=) a.atttypid
            WHERE a.attrelid OPERATOR(pg_catalog.=) ANY (r.oids) AND a.attnum OPERATOR(pg_catalog.>) 0::pg_catalog.int2
              AND t.oid OPERATOR(pg_catalog.>=) 16384::pg_catalog.oid)))
    ) f
  )
  SELECT coalesce((SELECT c.relkind OPERATOR(pg_catalog.=) 'v' FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) p_relation), false)
    OR EXISTS (SELECT FROM used u WHERE stage.is_user_code(u.function))
);
END $$;
