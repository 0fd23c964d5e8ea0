-- Returns the objects of users that objects of a relation name: functions, operators, types, configurations and dictionaries of text
-- search, collations, schemas, sequences, tables in policies, and composite types whose attributes are named. The types of columns are
-- among them only if they are domains: their checks are named. Columns of an overlay have the types themselves.
-- p_catalogs, p_objects: the catalog and the OID of each object, which is the relation itself or an index, a default, a constraint, a
-- policy or a rule of it. Everything is qualified, because it runs with the rights and the search path of its caller.
CREATE OR REPLACE FUNCTION stage.used_by(p_relation oid, p_catalogs oid[], p_objects oid[]) RETURNS TABLE (catalog oid, object oid)
LANGUAGE sql STABLE AS $$
  SELECT d.refclassid, d.refobjid
  FROM ROWS FROM (pg_catalog.unnest(p_catalogs), pg_catalog.unnest(p_objects)) o(catalog, object)
  -- OFFSET 0: the planner reads the dependencies of each object, and not those on all objects of users
  CROSS JOIN LATERAL (
    SELECT e.refclassid, e.refobjid FROM pg_catalog.pg_depend e
    WHERE e.classid OPERATOR(pg_catalog.=) o.catalog AND e.objid OPERATOR(pg_catalog.=) o.object OFFSET 0) d
  WHERE d.refobjid OPERATOR(pg_catalog.>=) 16384::pg_catalog.oid AND CASE
    WHEN d.refclassid OPERATOR(pg_catalog.=) ANY (ARRAY['pg_catalog.pg_proc'::pg_catalog.regclass, 'pg_catalog.pg_operator'::pg_catalog.regclass]) THEN true
    WHEN d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_type'::pg_catalog.regclass
      THEN o.catalog OPERATOR(pg_catalog.<>) 'pg_catalog.pg_class'::pg_catalog.regclass
        OR EXISTS (SELECT FROM pg_catalog.pg_type y WHERE y.oid OPERATOR(pg_catalog.=) d.refobjid AND y.typtype OPERATOR(pg_catalog.=) 'd'::pg_catalog."char")
    WHEN d.refclassid OPERATOR(pg_catalog.=) ANY (ARRAY['pg_catalog.pg_ts_config'::pg_catalog.regclass, 'pg_catalog.pg_ts_dict'::pg_catalog.regclass]) THEN true
    -- the collation of a column, and the schema of the relation, are not named by an expression
    WHEN d.refclassid OPERATOR(pg_catalog.=) ANY (ARRAY['pg_catalog.pg_collation'::pg_catalog.regclass, 'pg_catalog.pg_namespace'::pg_catalog.regclass])
      THEN o.catalog OPERATOR(pg_catalog.<>) 'pg_catalog.pg_class'::pg_catalog.regclass
    -- a default depends on columns of its table, and on sequences; a policy on tables; any expression on attributes of composite types
    WHEN d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
      THEN d.refobjid OPERATOR(pg_catalog.<>) p_relation
        AND (o.catalog OPERATOR(pg_catalog.=) ANY (ARRAY['pg_catalog.pg_attrdef'::pg_catalog.regclass, 'pg_catalog.pg_policy'::pg_catalog.regclass])
          OR EXISTS (SELECT FROM pg_catalog.pg_class y WHERE y.oid OPERATOR(pg_catalog.=) d.refobjid AND y.relkind OPERATOR(pg_catalog.=) 'c'::pg_catalog."char"))
    ELSE false END
$$;
