-- Returns the effects of a rehearsal on one table that is too large to be scanned: the counts of operations beyond those of the session,
-- and by the audit the session's rows whose outcome differs from what was staged. The counts are of operations, including attempts that
-- were undone; NULL if nothing is counted.
CREATE OR REPLACE FUNCTION stage.rehearsed_counts(p_session uuid, p_relation oid, p_parts oid[], p_before jsonb, p_most int)
RETURNS TABLE (part text, operation text, row_id jsonb, before jsonb, after jsonb, inserts bigint, updates bigint, deletes bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET enable_nestloop = off SET jit = off AS $$
BEGIN
  RETURN QUERY
  SELECT 'others', NULL::text, NULL::jsonb, NULL::jsonb, NULL::jsonb,
    CASE WHEN c.inserts > l.inserts THEN c.inserts - l.inserts WHEN c.inserts IS NOT NULL THEN 0 END, CASE WHEN c.updates > l.updates THEN c.updates - l.updates WHEN c.updates IS NOT NULL THEN 0 END, CASE WHEN c.deletes > l.deletes THEN c.deletes - l.deletes WHEN c.deletes IS NOT NULL THEN 0 END
  FROM (
    SELECT sum(n.inserts - coalesce((p_before -> p::text ->> 0)::bigint, 0))::bigint AS inserts,
      sum(n.updates - coalesce((p_before -> p::text ->> 1)::bigint, 0))::bigint AS updates,
      sum(n.deletes - coalesce((p_before -> p::text ->> 2)::bigint, 0))::bigint AS deletes
    FROM unnest(p_parts) AS p CROSS JOIN LATERAL (
      SELECT pg_stat_get_xact_tuples_inserted(p) AS inserts, pg_stat_get_xact_tuples_updated(p) AS updates, pg_stat_get_xact_tuples_deleted(p) AS deletes) n
    WHERE current_setting('track_counts')::boolean
  ) c CROSS JOIN stage.applied_operations(p_session, p_relation) l;

  IF p_relation NOT IN (SELECT stage.staged_relations(p_session)) THEN RETURN; END IF;
  RETURN QUERY EXECUTE format($q$
    WITH differing AS MATERIALIZED (
      SELECT d.number, d.operation, d.row_id, d.after AS staged, CASE WHEN l.number IS NULL THEN d.before ELSE l.after END AS lands
      FROM stage_data.diff_%s($1) d LEFT JOIN stage.landed($1, $2) l ON l.number = d.number
      WHERE CASE WHEN l.number IS NULL THEN d.before ELSE l.after END::text IS DISTINCT FROM d.after::text
        -- the audit has a row that a trigger changes as it was before that
        -- guard: a row that a trigger wrote while staging does not count as a row that fails to land in a large table
        AND NOT EXISTS (SELECT FROM stage.effect x WHERE x.session = $1 AND x.root = d.number))
    SELECT 'differing', NULL::text, NULL::jsonb, NULL::jsonb, NULL::jsonb, count(*), 0::bigint, 0::bigint FROM differing
    UNION ALL (SELECT 'differs', f.operation, f.row_id, f.staged, f.lands, 0, 0, 0 FROM differing f ORDER BY f.number LIMIT $3)
  $q$, p_relation) USING p_session, p_relation, p_most;
END $$;
REVOKE ALL ON FUNCTION stage.rehearsed_counts(uuid, oid, oid[], jsonb, int) FROM PUBLIC;
