-- The FROM clause of diff and outline: each row that a session changed on balance.
-- A row is followed by its lineage, not by its key: a moved row may have taken the key of a deleted one.
-- Filled in src/overlay/approval/diff.ts: `newest_version` is newest_version.sql, filled.
{{newest_version}}CROSS JOIN LATERAL (SELECT
  CASE WHEN NOT _stage_f._stage_first THEN 'INSERT' WHEN h.op = 'D' THEN 'DELETE' ELSE 'UPDATE' END AS operation
) o
WHERE _stage_f._stage_session = p_session AND _stage_f._stage_root IS NULL AND _stage_f._stage_origin <> 'overlay'
  AND CASE WHEN h.op = 'D' THEN _stage_f._stage_first ELSE NOT _stage_f._stage_first OR NOT (h.version *= _stage_f._stage_base) END
