-- Returns the counted operations of this transaction by table, and those of earlier ones that are not reported yet.
CREATE OR REPLACE FUNCTION stage.counted_operations() RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(jsonb_object_agg(c.oid::text, jsonb_build_array(n.inserts, n.updates, n.deletes)), '{}')
  FROM pg_class c CROSS JOIN LATERAL (
    SELECT pg_stat_get_xact_tuples_inserted(c.oid) AS inserts, pg_stat_get_xact_tuples_updated(c.oid) AS updates, pg_stat_get_xact_tuples_deleted(c.oid) AS deletes) n
  WHERE c.relkind = 'r' AND n.inserts + n.updates + n.deletes > 0
$$;
REVOKE ALL ON FUNCTION stage.counted_operations() FROM PUBLIC;
