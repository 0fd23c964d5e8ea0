-- The first version of each lineage, _stage_f, and its newest, h: the row, and the operation that made it.
-- The newest is looked up row by row, through the index on lineages alone, so that a page costs as much as its rows.
-- Filled in src/overlay/approval/diff.ts: `f_columns` and `l_columns` are the table's columns in the first and in a later version.
{{shadow}} _stage_f
LEFT JOIN LATERAL (
  SELECT _stage_l._stage_root AS root, _stage_l._stage_op AS op, ROW({{l_columns}})::{{row_type}} AS version
  FROM {{shadow}} _stage_l WHERE _stage_l._stage_root = _stage_f._stage_seq AND _stage_l._stage_origin <> 'overlay'
  ORDER BY _stage_l._stage_seq DESC LIMIT 1
) later ON true
-- with OFFSET 0 the version is built once, not for each of its uses
CROSS JOIN LATERAL (SELECT
  coalesce(later.op, _stage_f._stage_op) AS op,
  CASE WHEN later.root IS NULL THEN ROW({{f_columns}})::{{row_type}} ELSE later.version END AS version OFFSET 0
) h
