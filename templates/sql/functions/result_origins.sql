-- Returns the origins that a client gets of results of the views which stand for a relation: the columns of the relation itself in the
-- order of those of the views, its row type with the type of its arrays, and the views with theirs. NULL if there is no view.
CREATE OR REPLACE FUNCTION stage.result_origins(p_relation oid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT jsonb_build_object(
    'types', jsonb_build_array(c.reltype::bigint, r.typarray::bigint),
    'columns', (SELECT jsonb_agg(a.attnum ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped),
    'views', jsonb_agg(jsonb_build_array(v.oid::bigint, v.reltype::bigint, t.typarray::bigint) ORDER BY v.oid))
  FROM pg_class c
  JOIN pg_namespace n ON n.nspname IN (concat('stage_overlay_', c.relnamespace), concat('stage_upsert_', c.relnamespace), concat('stage_tree_', c.relnamespace))
  JOIN pg_class v ON v.relnamespace = n.oid AND v.relname = c.relname
  JOIN pg_type r ON r.oid = c.reltype
  JOIN pg_type t ON t.oid = v.reltype
  WHERE c.oid = p_relation AND stage.is_internal_schema(n.oid)
  GROUP BY c.oid, c.reltype, r.typarray
$$;
