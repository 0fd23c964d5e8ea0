  -- rows that had a value one after the other: it is free for one of them only because the other left it, or has not taken it yet
  -- filled in src/overlay/approval/lineages.ts: `collides` compares two staged versions, t and s
  RETURN QUERY
  SELECT DISTINCT {{oid}}::oid, coalesce(s._stage_root, s._stage_seq), {{oid}}::oid, coalesce(t._stage_root, t._stage_seq)
  FROM {{shadow}} t JOIN {{shadow}} s ON {{collides}}
  WHERE t._stage_session = p_session AND s._stage_session = p_session AND t._stage_op <> 'D' AND s._stage_op <> 'D'
    AND coalesce(t._stage_root, t._stage_seq) < coalesce(s._stage_root, s._stage_seq) AND {{both_participate}};
