-- Returns the functions that objects of one catalog call, directly or through operators. Functions of the server are left out: PostgreSQL
-- records no dependencies on them.
CREATE OR REPLACE FUNCTION stage.referenced_functions(p_catalog text, p_objects oid[]) RETURNS TABLE (function oid)
LANGUAGE sql STABLE AS $$
  SELECT coalesce(o.oprcode::pg_catalog.oid, d.refobjid)
  FROM pg_catalog.pg_depend d
  LEFT JOIN pg_catalog.pg_operator o
    ON d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_operator'::pg_catalog.regclass AND o.oid OPERATOR(pg_catalog.=) d.refobjid
  WHERE d.classid OPERATOR(pg_catalog.=) pg_catalog.to_regclass(pg_catalog.concat('pg_catalog.', p_catalog))
    AND d.objid OPERATOR(pg_catalog.=) ANY (p_objects)
    AND d.refclassid OPERATOR(pg_catalog.=) ANY (ARRAY['pg_catalog.pg_proc'::pg_catalog.regclass, 'pg_catalog.pg_operator'::pg_catalog.regclass]::pg_catalog.oid[])
$$;
