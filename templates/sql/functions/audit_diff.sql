-- Returns the net change of each row of one table that an approval applied, in the form of the tables' diff functions: those after lineage
-- p_after, and those of one kind only where p_operation is given. Reads row by row through the index on lineages, so that a page costs as
-- much as its rows.
DROP FUNCTION IF EXISTS stage.audit_diff(uuid, oid);
DROP FUNCTION IF EXISTS stage.audit_diff(uuid, oid, bigint, text, bigint, bigint);
CREATE OR REPLACE FUNCTION stage.audit_diff(p_session uuid, p_relation oid, p_after bigint DEFAULT 0, p_operation text DEFAULT NULL,
  p_offset bigint DEFAULT 0, p_limit bigint DEFAULT NULL)
RETURNS TABLE (number bigint, operation text, row_id jsonb, before jsonb, after jsonb, texts jsonb)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off AS $$
BEGIN
  RETURN QUERY
  SELECT f.lineage, o.operation,
    -- an inserted row may have been moved to another key
    CASE WHEN f.old_data IS NULL AND l.operation = 'UPDATE' THEN coalesce(stage.key_of_row(p_relation, l.new_data), f.row_key)
         ELSE f.row_key END,
    f.old_data, l.new_data, stage.texts_of_rows('before', f.old_texts, 'after', l.new_texts)
  FROM (
    SELECT DISTINCT ON (a.lineage) a.lineage, a.row_key, a.old_data, a.texts -> 'old_data' AS old_texts FROM stage.audit a
    WHERE a.session = p_session AND a.relation = p_relation AND a.lineage > p_after ORDER BY a.lineage, a."position"
  ) f
  CROSS JOIN LATERAL (
    SELECT a.operation, a.new_data, a.texts -> 'new_data' AS new_texts FROM stage.audit a
    WHERE a.session = p_session AND a.relation = p_relation AND a.lineage = f.lineage ORDER BY a."position" DESC LIMIT 1
  ) l
  CROSS JOIN LATERAL (
    SELECT CASE WHEN f.old_data IS NULL THEN 'INSERT' WHEN l.new_data IS NULL THEN 'DELETE' ELSE 'UPDATE' END AS operation
  ) o
  WHERE (f.old_data IS DISTINCT FROM l.new_data OR f.old_texts IS DISTINCT FROM l.new_texts) AND (p_operation IS NULL OR o.operation = p_operation)
  ORDER BY f.lineage OFFSET p_offset LIMIT p_limit;
END $$;
REVOKE ALL ON FUNCTION stage.audit_diff(uuid, oid, bigint, text, bigint, bigint) FROM PUBLIC;
