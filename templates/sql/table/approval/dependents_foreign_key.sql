  -- rows that refer to a value that only chosen rows had; rows that had left it to them, where no action of the key took along those that
  -- refer to it; and rows that left a value that chosen rows refer to again
  -- filled in src/overlay/approval/lineages.ts: p and x are versions of a parent, q of a child; `left_to_others` has the operations without
  -- action
  RETURN QUERY
  WITH chosen AS MATERIALIZED (
    SELECT c.relation, c.root FROM unnest(p_relations, p_roots) AS c (relation, root) WHERE c.relation IN ({{parent_oid}}, {{child_oid}})
  ), borne AS MATERIALIZED (
    SELECT DISTINCT c.root, {{p_values}}
    FROM chosen c JOIN {{parent}} p ON coalesce(p._stage_root, p._stage_seq) = c.root
    LEFT JOIN {{parent}} f ON f._stage_session = p_session AND f._stage_seq = c.root AND f._stage_first
    WHERE c.relation = {{parent_oid}} AND p._stage_session = p_session AND p._stage_op <> 'D' AND NOT {{p_same_as_base}}
  ), vacated AS MATERIALIZED (
    SELECT coalesce(x._stage_root, x._stage_seq) AS root, x._stage_op AS op, {{x_values}}
    FROM {{parent}} x WHERE x._stage_session = p_session AND x._stage_origin <> 'overlay' AND (x._stage_op = 'D' OR x._stage_op = 'U' AND NOT {{x_kept}})
  ), missed AS MATERIALIZED (
    SELECT DISTINCT c.root, {{base_values}}
    FROM chosen c JOIN {{child}} f ON f._stage_session = p_session AND f._stage_seq = c.root AND f._stage_first
    JOIN {{child}} q ON coalesce(q._stage_root, q._stage_seq) = c.root
    WHERE c.relation = {{child_oid}} AND q._stage_session = p_session AND q._stage_origin <> 'overlay' AND (q._stage_op = 'D' OR NOT {{q_same_as_base}})
  )
  SELECT {{child_oid}}::oid, coalesce(q._stage_root, q._stage_seq), {{parent_oid}}::oid, b.root FROM borne b JOIN {{child}} q ON {{b_referred_to_by_q}}
  WHERE q._stage_session = p_session AND q._stage_op <> 'D'
  UNION
  SELECT {{parent_oid}}::oid, x.root, {{parent_oid}}::oid, b.root FROM borne b JOIN vacated x ON {{b_equals_x}} WHERE x.op IN ({{left_to_others}})
  UNION
  SELECT {{parent_oid}}::oid, x.root, {{child_oid}}::oid, m.root FROM missed m JOIN vacated x ON {{x_referred_to_by_m}};
