  -- rows c that one foreign key reaches; filled in src/overlay/approval/conflicts.ts: `acted_upon` is the condition that its action fires
  -- for v
  RETURN QUERY
  SELECT DISTINCT ON ({{c_key}}) 'cascade', {{c_row_id}}, NULL, NULL::jsonb, NULL::jsonb, {{row_image}}(ROW({{c_columns}})::{{row_type}}),
    stage.texts_of_conflict(NULL, NULL, NULL, {{c_texts}}), false
  FROM {{parent_vanished}}(p_session) v
  JOIN {{source}} c ON {{c_referred_to_base}}
  WHERE ({{acted_upon}})
    AND NOT EXISTS (SELECT 1 FROM {{shadow}} h WHERE h._stage_session = p_session AND h._stage_head AND {{h_touched_c}})
  ORDER BY {{c_key}};
