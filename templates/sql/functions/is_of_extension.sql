-- Returns whether an object came with an extension.
CREATE OR REPLACE FUNCTION stage.is_of_extension(p_catalog text, p_object oid) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT p_object OPERATOR(pg_catalog.>=) 16384::pg_catalog.oid AND EXISTS (
    SELECT FROM pg_catalog.pg_depend d
    WHERE d.classid OPERATOR(pg_catalog.=) pg_catalog.to_regclass(pg_catalog.concat('pg_catalog.', p_catalog))
      AND d.objid OPERATOR(pg_catalog.=) p_object AND d.deptype OPERATOR(pg_catalog.=) 'e'::pg_catalog."char")
$$;
