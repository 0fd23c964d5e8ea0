-- Returns the other open sessions of the project that changed rows with the same keys, and how many: the first $2 of them, with the number
-- of all. The newest versions under their keys are compared, as the index of these has them; a key that a row has left is one of them.
-- Filled in src/review/brief/table-facts.ts: `shadow` is the shadow table, `same_key` compares the keys of `m` and `o`.
SELECT 'sess_' || replace(o._stage_session::text, '-', '') AS session_id, count(*) AS rows, count(*) OVER () AS sessions
FROM stage.session own
JOIN {{shadow}} m ON m._stage_session = own.id AND m._stage_head
JOIN stage.session x ON x.project_id = own.project_id AND x.id <> own.id AND x.status IN ('active', 'proposed')
JOIN {{shadow}} o ON o._stage_session = x.id AND o._stage_head AND {{same_key}}
WHERE own.id = $1
GROUP BY o._stage_session ORDER BY count(*) DESC, o._stage_session LIMIT $2
