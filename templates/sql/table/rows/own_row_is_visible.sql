
  -- filled in src/overlay/rows/policies.ts: the policies read other tables, of which the session's rows may count
  AND (NOT u._stage_staged OR CASE WHEN (SELECT {{counts}})
    -- guard: no staged row of another table makes a row of production visible
    THEN {{sees}} AND ({{saw}} OR NOT EXISTS (
      SELECT FROM {{shadow}} r WHERE r._stage_session = u._stage_session AND r._stage_seq = u._stage_root AND r._stage_first AND NOT {{saw_base}}))
    ELSE {{saw}} END)
