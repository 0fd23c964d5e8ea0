-- Returns the domains with checks that may do more than compute, and every type with values that contain values of such a domain, as the
-- entries of stage.user_calls: a domain's checks run where a value is converted to it, alone or within another value.
CREATE OR REPLACE FUNCTION stage.checked_types() RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  RETURN (
    WITH RECURSIVE checked(domain) AS MATERIALIZED (
      SELECT k.contypid FROM pg_constraint k CROSS JOIN LATERAL stage.called_in(k.conbin::text) x(function)
      JOIN pg_proc p ON p.oid = x.function
      WHERE k.contypid >= 16384 AND (p.provolatile <> 'i' OR stage.is_made_by_users('pg_proc', p.oid))
    ), part(type, whole) AS MATERIALIZED (  -- the inverse of stage.types_in; not computed where no domain is checked
      SELECT x.type, t.oid FROM pg_type t CROSS JOIN unnest(ARRAY[t.typbasetype, t.typelem]) x(type) WHERE x.type >= 16384
      UNION ALL
      SELECT a.atttypid, t.oid FROM pg_attribute a JOIN pg_type t ON t.typrelid = a.attrelid WHERE a.atttypid >= 16384 AND a.attnum > 0
      UNION ALL
      -- guard: the check of a domain may run that of another one
      SELECT d.refobjid, k.contypid FROM pg_constraint k JOIN pg_depend d ON d.classid = k.tableoid AND d.objid = k.oid
      WHERE k.contypid >= 16384 AND d.refclassid = 'pg_type'::regclass AND d.refobjid >= 16384
      UNION ALL
      SELECT r.rngsubtype, x.whole FROM pg_range r CROSS JOIN unnest(ARRAY[r.rngtypid, r.rngmultitypid]) x(whole) WHERE r.rngsubtype >= 16384
    ), containing(domain, type) AS (
      SELECT d.domain, d.domain FROM checked d
      UNION
      SELECT c.domain, p.whole FROM containing c JOIN part p ON p.type = c.type
    )
    SELECT coalesce(jsonb_agg(jsonb_build_object('kind', 'type', 'name', t.typname)), '[]')
    FROM checked d JOIN containing c ON c.domain = d.domain JOIN pg_type t ON t.oid = c.type
  );
END $$;
