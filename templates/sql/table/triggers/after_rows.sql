-- the rows of the statement, old and new; filled in src/overlay/triggers/fire-after.ts
      SELECT s._stage_op, coalesce(s._stage_root, s._stage_seq) AS _stage_lineage, CASE WHEN s._stage_op <> 'D' THEN ROW({{s_columns}})::{{row_type}} END AS _stage_new,
      CASE s._stage_op WHEN 'D' THEN ROW({{s_columns}})::{{row_type}} WHEN 'U' THEN {{row_before}} END AS _stage_old
    FROM {{shadow}} s
    WHERE s._stage_session = _stage_v_session AND s._stage_seq > _stage_v_start AND s._stage_seq < _stage_v_end
      AND s._stage_mutation = _stage_v_mutation AND s._stage_origin = _stage_v_origin AND NOT s._stage_seq <@ _stage_v_inner
    ORDER BY s._stage_seq