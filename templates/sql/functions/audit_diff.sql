-- The net change of each row of one table that an approval applied, in the form of the tables' diff functions.
CREATE OR REPLACE FUNCTION stage.audit_diff(p_session uuid, p_relation oid)
RETURNS TABLE (number bigint, operation text, row_id jsonb, before jsonb, after jsonb)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  WITH net AS (
    SELECT a.lineage, min(a."position") AS first, max(a."position") AS last
    FROM stage.audit a WHERE a.session = $1 AND a.relation = $2 GROUP BY a.lineage
  )
  SELECT n.lineage, CASE WHEN f.old_data IS NULL THEN 'INSERT' WHEN l.new_data IS NULL THEN 'DELETE' ELSE 'UPDATE' END,
    -- an inserted row may have moved on to another key
    CASE WHEN f.old_data IS NULL AND l.operation = 'UPDATE' THEN coalesce(stage.key_of_row($2, l.new_data), f.row_key) ELSE f.row_key END,
    f.old_data, l.new_data
  FROM net n JOIN stage.audit f ON f."position" = n.first JOIN stage.audit l ON l."position" = n.last
  WHERE f.old_data IS DISTINCT FROM l.new_data
  ORDER BY n.lineage
$$;
REVOKE ALL ON FUNCTION stage.audit_diff(uuid, oid) FROM PUBLIC;
