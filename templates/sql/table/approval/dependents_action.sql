  -- rows that an action of the foreign key changed go with the rows that caused it, and the reverse
  -- filled in src/overlay/approval/lineages.ts: q is a version of a child, v what it referred to before, x a version of a parent
  RETURN QUERY
  WITH carried AS MATERIALIZED (
    SELECT v.* FROM (
      SELECT coalesce(q._stage_root, q._stage_seq) AS root, q._stage_mutation AS mutation, q._stage_origin AS origin, {{q_values}}
      FROM {{child}} q WHERE q._stage_session = p_session AND q._stage_origin <> 'overlay'
      WINDOW w AS (PARTITION BY coalesce(q._stage_root, q._stage_seq) ORDER BY q._stage_seq)
    ) v WHERE v.origin = 'action'
  ), causes AS MATERIALIZED (
    SELECT coalesce(x._stage_root, x._stage_seq) AS root, x._stage_mutation AS mutation, {{x_values}}
    FROM {{parent}} x WHERE x._stage_session = p_session AND x._stage_origin <> 'overlay' AND (x._stage_op = 'D' OR x._stage_op = 'U' AND NOT {{x_kept}})
  ), linked AS MATERIALIZED (
    SELECT x.root AS cause, v.root AS carried FROM causes x JOIN carried v ON v.mutation = x.mutation AND {{x_referred_to_by_v}}
  )
  SELECT {{child_oid}}::oid, l.carried, {{parent_oid}}::oid, l.cause FROM linked l JOIN unnest(p_relations, p_roots) AS c (relation, root) ON c.root = l.cause AND c.relation = {{parent_oid}}
  UNION
  SELECT {{parent_oid}}::oid, l.cause, {{child_oid}}::oid, l.carried FROM linked l JOIN unnest(p_relations, p_roots) AS c (relation, root) ON c.root = l.carried AND c.relation = {{child_oid}};
