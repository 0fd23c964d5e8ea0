-- Returns the same as overlaps.sql for a session that changed many rows. Statistics know nothing of rows just staged, so the side to begin
-- with is not left to the planner: OFFSET 0 keeps a lookup by key one. Of two sessions the one with fewer rows, up to $3, is read.
-- Filled in src/review/brief/table-facts.ts: `shadow` is the shadow table, `same_key` compares the keys of `m` and `o`.
WITH mine AS MATERIALIZED (
  SELECT count(*) AS rows FROM (SELECT FROM {{shadow}} m WHERE m._stage_session = $1 AND m._stage_head LIMIT $3::int) h
), other AS MATERIALIZED (
  SELECT x.id, (SELECT count(*) FROM (SELECT FROM {{shadow}} o WHERE o._stage_session = x.id AND o._stage_head LIMIT $3::int) h) AS rows
  FROM stage.session own JOIN stage.session x ON x.project_id = own.project_id AND x.id <> own.id AND x.status IN ('active', 'proposed')
  WHERE own.id = $1
), common AS MATERIALIZED (
  SELECT x.id, c.rows FROM other x CROSS JOIN LATERAL (
    SELECT count(*) AS rows FROM {{shadow}} o WHERE o._stage_session = x.id AND o._stage_head
      AND EXISTS (SELECT FROM {{shadow}} m WHERE m._stage_session = $1 AND m._stage_head AND {{same_key}} OFFSET 0)
    OFFSET 0
  ) c WHERE x.rows > 0 AND x.rows < (SELECT mine.rows FROM mine)
  UNION ALL
  SELECT x.id, c.rows FROM other x CROSS JOIN LATERAL (
    SELECT count(*) AS rows FROM {{shadow}} m JOIN {{shadow}} o ON {{same_key}}
    WHERE m._stage_session = $1 AND m._stage_head AND o._stage_session = x.id AND o._stage_head OFFSET 0
  ) c WHERE x.rows >= (SELECT mine.rows FROM mine)
)
SELECT 'sess_' || replace(c.id::text, '-', '') AS session_id, c.rows, count(*) OVER () AS sessions
FROM common c WHERE c.rows > 0 ORDER BY c.rows DESC, c.id LIMIT $2
