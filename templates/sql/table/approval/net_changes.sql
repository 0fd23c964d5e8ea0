-- What diff and outline select from: each row that a session changed on balance, in the order in which rows were first touched.
-- A row is followed by its lineage, not by its key: a moved row may have taken the key of a deleted one.
-- The newest version is looked up row by row, through the index on lineages alone, so that a page costs as much as its rows.
{{shadow}} _stage_f
-- No column bears a name that begins with _stage_: as a whole row another alias would mean a column of that name.
LEFT JOIN LATERAL (
  SELECT _stage_l AS version FROM {{shadow}} _stage_l WHERE _stage_l._stage_root = _stage_f._stage_seq AND _stage_l._stage_origin <> 'overlay'
  ORDER BY _stage_l._stage_seq DESC LIMIT 1
) later ON true
CROSS JOIN LATERAL (SELECT coalesce(later.version, _stage_f) AS version) h
CROSS JOIN LATERAL (SELECT
  CASE WHEN NOT _stage_f._stage_first THEN 'INSERT' WHEN (h.version)._stage_op = 'D' THEN 'DELETE' ELSE 'UPDATE' END AS operation
) o
WHERE _stage_f._stage_session = p_session AND _stage_f._stage_root IS NULL AND _stage_f._stage_origin <> 'overlay'
  AND CASE WHEN (h.version)._stage_op = 'D' THEN _stage_f._stage_first
           ELSE NOT _stage_f._stage_first OR NOT (ROW({{h_columns}})::{{row_type}} *= _stage_f._stage_base) END
