-- Returns the relations directly behind a relation: the tables and views in the query of a view, the partitioned tables above a partition.
-- Everything is qualified, because it runs with the rights and the search path of its caller.
CREATE OR REPLACE FUNCTION stage.relations_behind(p_relation oid) RETURNS SETOF oid
LANGUAGE sql STABLE AS $$
  SELECT d.refobjid FROM pg_catalog.pg_rewrite r
  JOIN pg_catalog.pg_depend d ON d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass
    AND d.objid OPERATOR(pg_catalog.=) r.oid AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
  WHERE r.ev_class OPERATOR(pg_catalog.=) p_relation AND d.refobjid OPERATOR(pg_catalog.<>) p_relation
  UNION SELECT a.relid FROM pg_catalog.pg_partition_ancestors(p_relation) a WHERE a.relid OPERATOR(pg_catalog.<>) p_relation::pg_catalog.regclass
$$;
