  RETURN QUERY
  SELECT DISTINCT ON ({{c_key}}) 'cascade', {{c_row_id}}, NULL, NULL::jsonb, NULL::jsonb, to_jsonb(ROW({{c_columns}})::{{row_type}})
  FROM {{parent_shadow}} f
  JOIN {{source}} c ON {{c_refers_to_base}}
  WHERE f._stage_session = p_session AND f._stage_first
    AND EXISTS (
      SELECT 1 FROM {{parent_shadow}} v
      WHERE v._stage_session = p_session AND coalesce(v._stage_root, v._stage_seq) = f._stage_seq AND v._stage_origin <> 'k'
        AND ({{parent_leaves}}))
    AND NOT EXISTS (
      SELECT 1 FROM {{shadow}} h WHERE h._stage_session = p_session AND h._stage_head AND {{h_matches_c}})
  ORDER BY {{c_key}};
