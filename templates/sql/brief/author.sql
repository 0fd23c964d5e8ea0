-- Returns the median number of rows of the approved sessions of the author of session $1 in its project, how many sessions these are, the
-- tables that they changed, and by how many seconds the time of day of its proposal differs from the nearest one of theirs; NULL if it is
-- not proposed.
WITH earlier AS MATERIALIZED (
  SELECT s.id, a.entries, s.proposed_at, own.proposed_at AS own_proposed_at FROM stage.session own JOIN stage.session s ON s.created_as = own.created_as AND s.project_id = own.project_id
  JOIN stage.approval a ON a.session = s.id
  WHERE own.id = $1 AND s.id <> $1 AND s.created_at <= own.created_at ORDER BY a.number DESC LIMIT 100
)
SELECT (SELECT count(*) FROM earlier) AS sessions, (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY e.entries) FROM earlier e) AS median,
  (SELECT min(least(d.seconds, 86400 - d.seconds)) FROM earlier e CROSS JOIN LATERAL (
    SELECT abs(extract(epoch FROM e.proposed_at)::bigint % 86400 - extract(epoch FROM e.own_proposed_at)::bigint % 86400) AS seconds) d) AS nearest,
  (SELECT coalesce(jsonb_agg(DISTINCT u.table_name), '[]') FROM earlier e CROSS JOIN LATERAL (
    WITH RECURSIVE t AS (
      (SELECT a.relation, a.table_name FROM stage.audit a WHERE a.session = e.id ORDER BY a.relation LIMIT 1)
      UNION ALL
      SELECT n.* FROM t CROSS JOIN LATERAL (
        SELECT a.relation, a.table_name FROM stage.audit a WHERE a.session = e.id AND a.relation > t.relation ORDER BY a.relation LIMIT 1) n
    ) SELECT t.table_name FROM t
  ) u) AS tables
