-- The net change of each row that a session staged, in the order in which the rows were first touched.
-- A row is followed by its lineage, not by its key: a moved row may have taken the key of a deleted one.
-- Statistics know little of rows just staged: a nested loop over them could go quadratic.
CREATE FUNCTION {{function}}(p_session uuid)
RETURNS TABLE (number bigint, operation text, row_id jsonb, before jsonb, after jsonb)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET enable_nestloop = off SET jit = off AS $body$
#variable_conflict use_variable
BEGIN
  RETURN QUERY
  WITH newest AS (
    SELECT coalesce(s._stage_root, s._stage_seq) AS root, max(s._stage_seq) AS seq
    FROM {{shadow}} s WHERE s._stage_session = p_session AND s._stage_origin <> 'k' GROUP BY 1
  )
  SELECT n.root,
    CASE WHEN NOT f._stage_first THEN 'INSERT' WHEN h._stage_op = 'D' THEN 'DELETE' ELSE 'UPDATE' END,
    CASE WHEN f._stage_first THEN {{f_row_id}} ELSE {{h_row_id}} END,
    CASE WHEN f._stage_first THEN to_jsonb(f._stage_base) END,
    CASE WHEN h._stage_op <> 'D' THEN to_jsonb(ROW({{h_columns}})::{{row_type}}) END
  FROM newest n
  JOIN {{shadow}} f ON f._stage_session = p_session AND f._stage_seq = n.root
  JOIN {{shadow}} h ON h._stage_session = p_session AND h._stage_seq = n.seq
  WHERE CASE WHEN h._stage_op = 'D' THEN f._stage_first
             ELSE NOT f._stage_first OR NOT (ROW({{h_columns}})::{{row_type}} *= f._stage_base) END
  ORDER BY n.root;
END $body$;
REVOKE ALL ON FUNCTION {{function}}(uuid) FROM PUBLIC;
