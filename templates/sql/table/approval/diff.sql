-- Returns the net change of each row that a session staged: those after p_after, and those of one kind only where p_operation is given.
-- Statistics know little of rows just staged: a sequential scan in the wrong place would be quadratic.
-- Filled in src/overlay/approval/diff.ts: `net_changes` is net_changes.sql, filled; b and v are the row before and after.
CREATE FUNCTION {{function}}(p_session uuid, p_after bigint DEFAULT 0, p_operation text DEFAULT NULL,
  p_offset bigint DEFAULT 0, p_limit bigint DEFAULT NULL)
RETURNS TABLE (number bigint, operation text, row_id jsonb, before jsonb, after jsonb, texts jsonb)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $body$
#variable_conflict use_variable
BEGIN
  RETURN QUERY
  SELECT n.number, n.operation,
    CASE WHEN n.operation = 'INSERT' THEN {{n_row_id}} ELSE {{f_row_id}} END,
    CASE WHEN n.operation <> 'INSERT' THEN {{row_image}}(n.base) END,
    CASE WHEN n.operation <> 'DELETE' THEN {{row_image}}(n.version) END,
    stage.texts_of_rows('before', CASE WHEN n.operation <> 'INSERT' THEN {{texts_before}} END,
      'after', CASE WHEN n.operation <> 'DELETE' THEN {{texts_after}} END)
  FROM (
    SELECT _stage_f._stage_seq AS number, o.operation, _stage_f._stage_base AS base, h.version, {{f_identity}} FROM {{net_changes}}
      AND _stage_f._stage_seq > p_after AND (p_operation IS NULL OR o.operation = p_operation)
    ORDER BY _stage_f._stage_seq OFFSET p_offset LIMIT p_limit
  ) n
  -- expanded by stars: for each column that is named, the parser visits all columns of a composite value
  CROSS JOIN LATERAL (SELECT (n.base).*) b CROSS JOIN LATERAL (SELECT (n.version).*) v;
END $body$;
REVOKE ALL ON FUNCTION {{function}}(uuid, bigint, text, bigint, bigint) FROM PUBLIC;
