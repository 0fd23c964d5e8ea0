-- Returns the given types, and the types within their values that did not come with the server: the base of a domain, the elements of an
-- array, the columns of a row, the bounds of a range. The checks of a domain may convert values to further types.
CREATE OR REPLACE FUNCTION stage.types_in(p_types oid[]) RETURNS SETOF oid
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
  WITH RECURSIVE types(type) AS (
    SELECT unnest(p_types)
    UNION
    SELECT n.type FROM types s JOIN pg_type t ON t.oid = s.type
    CROSS JOIN LATERAL (
      SELECT t.typbasetype UNION ALL SELECT t.typelem
      UNION ALL SELECT a.atttypid FROM pg_attribute a WHERE a.attrelid = t.typrelid AND a.attnum > 0
      UNION ALL SELECT r.rngsubtype FROM pg_range r WHERE t.oid IN (r.rngtypid, r.rngmultitypid)
      -- guard: checks of domains convert values to domains
      UNION ALL SELECT d.refobjid FROM pg_constraint k JOIN pg_depend d ON d.classid = k.tableoid AND d.objid = k.oid AND d.refclassid = 'pg_type'::regclass
      WHERE t.typtype = 'd' AND k.contypid = t.oid
    ) n(type)
    WHERE n.type >= 16384
  )
  SELECT t.type FROM types t
$$;
