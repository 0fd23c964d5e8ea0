-- Returns how many rows of a table were changed along with rows of the table $2, which a foreign key refers to.
-- Filled in src/review/brief/table-facts.ts: `shadow` and `target` are the shadow tables of both.
SELECT count(DISTINCT r.lineage) FILTER (WHERE r.op = 'D') AS deletes, count(DISTINCT r.lineage) FILTER (WHERE r.op = 'U') AS updates FROM (
  SELECT coalesce(s._stage_root, s._stage_seq) AS lineage, s._stage_op AS op, s._stage_mutation AS mutation, s._stage_seq AS seq
  FROM {{shadow}} s WHERE s._stage_session = $1 AND s._stage_origin = 'action'
) r
WHERE EXISTS (SELECT FROM {{target}} t WHERE t._stage_session = $1 AND t._stage_seq > r.mutation AND t._stage_seq < r.seq AND t._stage_mutation = r.mutation)
