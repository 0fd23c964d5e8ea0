-- Recomputes what rows were found by before each change: the key and what foreign keys refer to by now.
-- Filled in src/overlay/derived-columns.ts: `of_rows` is a WHERE clause, or empty.
UPDATE {{shadow}} s SET {{set_old}}
FROM (
  SELECT x._stage_session AS session, x._stage_seq AS seq, {{old_values}}
  FROM {{shadow}} x{{of_rows}}
  WINDOW w AS (PARTITION BY x._stage_session, coalesce(x._stage_root, x._stage_seq), x._stage_origin = 'overlay' ORDER BY x._stage_seq)
) v
WHERE s._stage_session = v.session AND s._stage_seq = v.seq AND s._stage_op <> 'I';
