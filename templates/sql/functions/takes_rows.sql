-- Returns whether a function takes rows of tables: rows of overlays have other types.
CREATE OR REPLACE FUNCTION stage.takes_rows(p_function pg_catalog.pg_proc) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
  SELECT EXISTS (
    SELECT FROM unnest(p_function.proargtypes::oid[]) a(type) JOIN pg_type t ON t.oid = a.type
    WHERE t.oid >= 16384 AND t.typtype = 'c' AND stage.row_relation(t.oid) IS NOT NULL)
$$;
