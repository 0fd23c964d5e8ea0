-- Returns the changes by which what a session stages differs from the inverse of what an approval applied, without the lineages that are
-- skipped: missing changes and surplus ones. At most p_most of each table. Rows that triggers wrote while staging are neither.
CREATE OR REPLACE FUNCTION stage.not_inverse(p_from uuid, p_to uuid, p_skipped bigint[], p_most int)
RETURNS TABLE (relation oid, is_missing boolean, row_id jsonb, before jsonb, after jsonb)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  v_table record;
BEGIN
  FOR v_table IN
    SELECT coalesce(s.relation, a.current) AS relation, s.relation IS NOT NULL AS is_staged, a.audited
    FROM (SELECT stage.staged_relations(p_to) AS relation) s
    FULL JOIN (SELECT stage.relation_of_approval(p_from, d.relation) AS current, d.relation AS audited
               FROM (SELECT DISTINCT e.relation FROM stage.audit e WHERE e.session = p_from) d) a ON a.current = s.relation
  LOOP
    RETURN QUERY EXECUTE format($q$
      WITH wanted AS (
        SELECT d.row_id, d.after AS before, d.before AS after, ROW(d.after::text, d.before::text, d.texts -> 'after', d.texts -> 'before')::text AS image
        FROM stage.audit_diff($1, $2) d WHERE d.number <> ALL ($3)),
      staged AS (
        SELECT d.row_id, d.before, d.after, ROW(d.before::text, d.after::text, d.texts -> 'before', d.texts -> 'after')::text AS image FROM %s)
      SELECT $4::oid, s.image IS NULL, coalesce(s.row_id, w.row_id), coalesce(s.before, w.before), coalesce(s.after, w.after)
      FROM wanted w FULL JOIN staged s ON s.image = w.image WHERE s.image IS NULL OR w.image IS NULL LIMIT $5
    $q$, CASE WHEN v_table.is_staged THEN format('stage_data.diff_%s($6) d', v_table.relation)
                -- guard: rows that triggers write for a revert are not part of the inverse
                || ' WHERE d.number NOT IN (SELECT stage.effect_roots($6, $4))'
              ELSE '(SELECT NULL::jsonb AS row_id, NULL::jsonb AS before, NULL::jsonb AS after, NULL::jsonb AS texts WHERE $6 IS NULL) d' END)
    USING p_from, v_table.audited, p_skipped, v_table.relation, p_most, p_to;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION stage.not_inverse(uuid, uuid, bigint[], int) FROM PUBLIC;
