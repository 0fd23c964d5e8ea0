-- Returns the tables, views and other relations of which a function takes rows, as an array of {"relation": oid, "schema": text,
-- "name": text, "columns": [name, ...], "tables": [oid, ...]}: the tables are the relation itself and its descendants, whose rows it takes, too. Empty if it takes none.
CREATE OR REPLACE FUNCTION stage.rows_taken(p_function pg_catalog.pg_proc) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object(
      'relation', r.relation::int8,
      'schema', (SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = r.relation),
      'name', (SELECT c.relname FROM pg_class c WHERE c.oid = r.relation),
      'columns', (SELECT jsonb_agg(c.attname ORDER BY c.attnum) FROM pg_attribute c WHERE c.attrelid = r.relation AND c.attnum > 0 AND NOT c.attisdropped),
      'tables', (
        WITH RECURSIVE below (relation) AS (
          SELECT r.relation UNION SELECT i.inhrelid FROM pg_inherits i JOIN below b ON b.relation = i.inhparent)
        SELECT jsonb_agg(b.relation::int8) FROM below b))), '[]')
  FROM (
    SELECT DISTINCT stage.row_relation(t.oid) FROM unnest(p_function.proargtypes::oid[]) a(type) JOIN pg_type t ON t.oid = a.type
    WHERE t.oid >= 16384 AND t.typtype = 'c') r(relation)
  WHERE r.relation IS NOT NULL
$$;
