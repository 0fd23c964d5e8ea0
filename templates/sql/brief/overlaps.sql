-- Returns the other open sessions of the project that changed rows with the same keys, and how many. Keys are compared as text: an operator
-- of a user's type would be a user's code.
-- Filled in src/review/brief/table-facts.ts: `shadow` is the shadow table, `key` an array of the texts of its key.
SELECT 'sess_' || replace(o._stage_session::text, '-', '') AS session_id, count(*) AS rows
FROM (SELECT DISTINCT {{key}} AS key FROM {{shadow}} s WHERE s._stage_session = $1 AND s._stage_origin <> 'overlay') m
JOIN (
  SELECT DISTINCT s._stage_session, {{key}} AS key FROM {{shadow}} s
  WHERE s._stage_origin <> 'overlay' AND s._stage_session IN (
    SELECT x.id FROM stage.session x JOIN stage.session own ON own.id = $1
    WHERE x.id <> $1 AND x.status IN ('active', 'proposed') AND x.project_id = own.project_id)
) o ON o.key = m.key
GROUP BY o._stage_session ORDER BY count(*) DESC, o._stage_session
