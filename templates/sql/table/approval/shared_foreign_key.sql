  -- rows that ever referred to a value, and the rows that left it: they referred to it before, or to another row that has it since
  -- filled in src/overlay/approval/lineages.ts: x is a version of a parent, q of a child
  RETURN QUERY
  WITH vacated AS MATERIALIZED (
    SELECT DISTINCT coalesce(x._stage_root, x._stage_seq) AS root, {{x_values}}
    FROM {{parent}} x WHERE x._stage_session = p_session AND x._stage_origin <> 'overlay' AND (x._stage_op = 'D' OR x._stage_op = 'U' AND NOT {{x_kept}})
  )
  SELECT DISTINCT {{child_oid}}::oid, coalesce(q._stage_root, q._stage_seq), {{parent_oid}}::oid, x.root
  FROM vacated x JOIN {{child}} q ON {{x_referred_to_by_q}}
  WHERE q._stage_session = p_session AND q._stage_origin <> 'overlay' AND q._stage_op <> 'D';
