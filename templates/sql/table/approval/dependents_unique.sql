  -- rows that took a value that comes back with a chosen row, which has left it
  -- filled in src/overlay/approval/lineages.ts: `collides` compares the base of a chosen row, b, with a staged version, s; `kept` a version
  -- of a chosen row, v, with its base
  RETURN QUERY
  SELECT DISTINCT {{oid}}::oid, coalesce(s._stage_root, s._stage_seq), {{oid}}::oid, b.root
  FROM (
    SELECT c.root, f._stage_base AS base FROM unnest(p_relations, p_roots) AS c (relation, root)
    JOIN {{shadow}} f ON f._stage_seq = c.root AND f._stage_session = p_session AND f._stage_first
    WHERE c.relation = {{oid}} AND EXISTS (
      SELECT FROM {{shadow}} v WHERE coalesce(v._stage_root, v._stage_seq) = f._stage_seq AND v._stage_session = p_session
        AND (v._stage_op = 'D' OR NOT {{kept}})
    )
  ) b JOIN {{shadow}} s ON {{collides}}
  WHERE s._stage_session = p_session AND s._stage_op <> 'D' AND {{both_participate}};
