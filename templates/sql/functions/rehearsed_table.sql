-- Returns the effects of a rehearsal on one table and its parts that were written: rows other than the session's own that have changed, and
-- the session's rows whose outcome differs from what was staged. Counts come first, then at most p_most rows of each. Two rows with the
-- same JSON are equal here. STABLE, for the reason of stage.changed_rows: the staged rows, too, are read as they were before they were
-- applied.
CREATE OR REPLACE FUNCTION stage.rehearsed_table(p_session uuid, p_relation oid, p_parts oid[], p_since bigint, p_most int)
RETURNS TABLE (part text, operation text, row_id jsonb, before jsonb, after jsonb, inserts bigint, updates bigint, deletes bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET enable_nestloop = off SET jit = off AS $$
DECLARE
  v_key text[] := ARRAY(SELECT k.value ->> 'name' FROM jsonb_array_elements(stage.table_key(p_relation) -> 'key') WITH ORDINALITY AS k (value, number) ORDER BY k.number);
  v_staged text := 'SELECT 0::bigint AS number, ''''::text AS operation, NULL::jsonb AS row_id, NULL::jsonb AS before, NULL::jsonb AS after WHERE false';
BEGIN
  IF p_relation IN (SELECT stage.staged_relations(p_session)) THEN
    v_staged := format('SELECT d.number, d.operation, d.row_id, d.before, d.after FROM stage_data.diff_%s($1) d'
      -- guard: a row that a trigger wrote while staging does not count as a row that fails to land
      ' WHERE d.number NOT IN (SELECT stage.effect_roots($1, %1$s))', p_relation);
  END IF;
  RETURN QUERY EXECUTE format($q$
    WITH e AS MATERIALIZED (SELECT c.* FROM stage.changed_rows($2, $3, $4) c),
    d AS MATERIALIZED (
      SELECT s.*, CASE WHEN s.before IS NOT NULL THEN %2$s END AS old_key, CASE WHEN s.after IS NOT NULL THEN %3$s END AS new_key FROM (%1$s) s),
    own AS MATERIALIZED (SELECT d.old_key AS key FROM d WHERE d.old_key IS NOT NULL UNION SELECT d.new_key FROM d WHERE d.new_key IS NOT NULL),
    others AS MATERIALIZED (
      SELECT CASE WHEN e.before IS NULL THEN 'INSERT' WHEN e.after IS NULL THEN 'DELETE' ELSE 'UPDATE' END AS operation, e.*
      FROM e LEFT JOIN own o ON o.key = e.key WHERE o.key IS NULL AND e.before::text IS DISTINCT FROM e.after::text),
    differing AS MATERIALIZED (
      SELECT d.number, d.operation, d.row_id, d.after AS staged, e.after AS lands
      FROM d LEFT JOIN e ON e.key = coalesce(d.new_key, d.old_key)
      -- the key of a deleted row may be that of another one by now
      LEFT JOIN (SELECT DISTINCT t.new_key FROM d t) t ON t.new_key = d.old_key AND d.operation = 'DELETE'
      WHERE t.new_key IS NULL AND e.after::text IS DISTINCT FROM d.after::text)
    SELECT 'others', NULL::text, NULL::jsonb, NULL::jsonb, NULL::jsonb, count(*) FILTER (WHERE o.operation = 'INSERT'),
      count(*) FILTER (WHERE o.operation = 'UPDATE'), count(*) FILTER (WHERE o.operation = 'DELETE') FROM others o
    UNION ALL SELECT 'differing', NULL, NULL, NULL, NULL, count(*), 0, 0 FROM differing
    UNION ALL (SELECT 'other', o.operation, stage.key_of_image($6, coalesce(o.before, o.after)), o.before, o.after, 0, 0, 0 FROM others o ORDER BY o.key LIMIT $5)
    UNION ALL (SELECT 'differs', f.operation, f.row_id, f.staged, f.lands, 0, 0, 0 FROM differing f ORDER BY f.number LIMIT $5)
  $q$, v_staged, stage.key_expression(v_key, 's.before'), stage.key_expression(v_key, 's.after'))
  USING p_session, p_relation, p_parts, p_since, p_most, v_key;
END $$;
REVOKE ALL ON FUNCTION stage.rehearsed_table(uuid, oid, oid[], bigint, int) FROM PUBLIC;
