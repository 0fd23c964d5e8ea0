-- Returns the objects of users that the expressions of a relation name: functions, operators, types and sequences in defaults, generated
-- columns, checks, indexes, policies, partition keys and the queries of views. Objects of an overlay name them in their texts. Of the
-- types of columns only domains are among them: their checks are named. Columns of an overlay have the types themselves. Everything is
-- qualified, because it runs with the rights and the search path of its caller.
CREATE OR REPLACE FUNCTION stage.used_in_definition(p_relation oid) RETURNS TABLE (catalog oid, object oid)
LANGUAGE sql STABLE AS $$
  SELECT d.refclassid, d.refobjid
  FROM (
    SELECT 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid, p_relation
    UNION ALL SELECT 'pg_catalog.pg_class'::pg_catalog.regclass, i.indexrelid FROM pg_catalog.pg_index i WHERE i.indrelid OPERATOR(pg_catalog.=) p_relation
    UNION ALL SELECT 'pg_catalog.pg_attrdef'::pg_catalog.regclass, a.oid FROM pg_catalog.pg_attrdef a WHERE a.adrelid OPERATOR(pg_catalog.=) p_relation
    UNION ALL SELECT 'pg_catalog.pg_constraint'::pg_catalog.regclass, k.oid FROM pg_catalog.pg_constraint k WHERE k.conrelid OPERATOR(pg_catalog.=) p_relation
    UNION ALL SELECT 'pg_catalog.pg_policy'::pg_catalog.regclass, p.oid FROM pg_catalog.pg_policy p WHERE p.polrelid OPERATOR(pg_catalog.=) p_relation
    UNION ALL SELECT 'pg_catalog.pg_rewrite'::pg_catalog.regclass, r.oid FROM pg_catalog.pg_rewrite r WHERE r.ev_class OPERATOR(pg_catalog.=) p_relation
  ) o(catalog, object)
  JOIN pg_catalog.pg_depend d ON d.classid OPERATOR(pg_catalog.=) o.catalog AND d.objid OPERATOR(pg_catalog.=) o.object
  WHERE d.refobjid OPERATOR(pg_catalog.>=) 16384::pg_catalog.oid AND CASE
    WHEN d.refclassid OPERATOR(pg_catalog.=) ANY (ARRAY['pg_catalog.pg_proc'::pg_catalog.regclass, 'pg_catalog.pg_operator'::pg_catalog.regclass]) THEN true
    WHEN d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_type'::pg_catalog.regclass
      THEN o.catalog OPERATOR(pg_catalog.<>) 'pg_catalog.pg_class'::pg_catalog.regclass
        OR EXISTS (SELECT FROM pg_catalog.pg_type y WHERE y.oid OPERATOR(pg_catalog.=) d.refobjid AND y.typtype OPERATOR(pg_catalog.=) 'd'::pg_catalog."char")
    -- a default depends on columns of its table, and on sequences
    WHEN d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
      THEN o.catalog OPERATOR(pg_catalog.=) 'pg_catalog.pg_attrdef'::pg_catalog.regclass AND d.refobjid OPERATOR(pg_catalog.<>) p_relation
    ELSE false END
$$;
