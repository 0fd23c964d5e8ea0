-- Returns the texts of the UPDATE and DELETE statements of session $1 that wrote the table $2, whose name is $3, with the ids of their
-- mutations as a JSON array of texts: of the texts that are not too long to be parsed, the twenty that wrote the most rows.
SELECT m.operation, m.query, jsonb_agg(m.id::text) AS ids FROM stage.mutation m
WHERE m.session = $1 AND m.operation IN ('UPDATE', 'DELETE') AND (m.relation = $2 OR m.table_name = $3) AND length(m.query) <= 10000
GROUP BY m.operation, m.query ORDER BY sum(m.affected_rows) DESC, min(m.id) LIMIT 20
