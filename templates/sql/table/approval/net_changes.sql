-- What diff and outline select from: each row that a session changed on balance, in the order in which rows were first touched.
-- A row is followed by its lineage, not by its key: a moved row may have taken the key of a deleted one.
{{newest_version}}CROSS JOIN LATERAL (SELECT
  CASE WHEN NOT _stage_f._stage_first THEN 'INSERT' WHEN h.op = 'D' THEN 'DELETE' ELSE 'UPDATE' END AS operation
) o
WHERE _stage_f._stage_session = p_session AND _stage_f._stage_root IS NULL AND _stage_f._stage_origin <> 'overlay'
  AND CASE WHEN h.op = 'D' THEN _stage_f._stage_first ELSE NOT _stage_f._stage_first OR NOT (h.version *= _stage_f._stage_base) END
