  -- rows that had a value one after the other: it is free for one of them only because the other left it, or has not taken it yet
  -- filled in src/overlay/approval/lineages.ts: `collides` compares two staged versions, t and s; `kept` a version, v, with the next one
  RETURN QUERY
  WITH versions AS MATERIALIZED (
    SELECT v.*, coalesce(v._stage_root, v._stage_seq) AS _stage_lineage,
      -- two rows never have a value at once, so that one of them has left it
      lead(v._stage_op) OVER _stage_w IS NOT NULL AND (lead(v._stage_op) OVER _stage_w = 'D' OR NOT {{kept}}) AS _stage_left
    FROM {{shadow}} v WHERE v._stage_session = p_session
    WINDOW _stage_w AS (PARTITION BY coalesce(v._stage_root, v._stage_seq) ORDER BY v._stage_seq)
  ), gone AS MATERIALIZED (
    SELECT * FROM versions v WHERE v._stage_left AND v._stage_op <> 'D'
  ), chosen AS MATERIALIZED (
    SELECT v.* FROM versions v JOIN unnest(p_relations, p_roots) AS c (_stage_c_relation, _stage_c_root) ON c._stage_c_root = v._stage_lineage
    WHERE c._stage_c_relation = {{oid}} AND v._stage_op <> 'D'
  )
  SELECT {{oid}}::oid, s._stage_lineage, {{oid}}::oid, t._stage_lineage
  FROM chosen t JOIN gone s ON {{collides}}
  WHERE t._stage_lineage <> s._stage_lineage AND {{both_participate}}
  UNION
  SELECT {{oid}}::oid, s._stage_lineage, {{oid}}::oid, t._stage_lineage
  -- guard: rows that never left a value are compared with none
  FROM (SELECT * FROM chosen v WHERE v._stage_left) t JOIN versions s ON {{collides}}
  WHERE t._stage_lineage <> s._stage_lineage AND s._stage_op <> 'D' AND {{both_participate}};
