-- What stands between a session's staged rows of this table and production.

-- Locks the production rows that the session touched, in key order; those whose key goes away against new references, too.
CREATE FUNCTION {{lock}}(p_session uuid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $body$
#variable_conflict use_variable
BEGIN
  PERFORM 1 FROM {{production}} p JOIN {{shadow}} f ON {{p_matches_first}}
  WHERE f._stage_session = p_session AND f._stage_first
  ORDER BY {{p_key}} FOR NO KEY UPDATE OF p;
  PERFORM 1 FROM {{production}} p JOIN {{shadow}} f ON {{p_matches_first}}
  WHERE f._stage_session = p_session AND f._stage_first AND EXISTS (
    SELECT 1 FROM {{shadow}} v
    WHERE v._stage_session = p_session AND coalesce(v._stage_root, v._stage_seq) = f._stage_seq
      AND (v._stage_op = 'D' OR v._stage_op = 'U' AND NOT ({{v_keeps_old}})))
  ORDER BY {{p_key}} FOR UPDATE OF p;
END $body$;

-- Touched rows that production changed or deleted since, and staged keys that production has taken since.
-- p_scope `row`: any change of a touched row. `column`: only changes of columns that the session changed, too.
CREATE FUNCTION {{conflicts}}(p_session uuid, p_scope text)
RETURNS TABLE (kind text, row_id jsonb, field text, session_base jsonb, session_new jsonb, production_current jsonb)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $body$
#variable_conflict use_variable
BEGIN
  RETURN QUERY
  WITH newest AS (
    SELECT coalesce(s._stage_root, s._stage_seq) AS root, max(s._stage_seq) AS seq
    FROM {{shadow}} s WHERE s._stage_session = p_session AND s._stage_origin <> 'k' GROUP BY 1
  ), moved AS (
    SELECT f._stage_seq AS root, {{f_row_id}} AS row_id, f._stage_base AS base, h._stage_op = 'D' AS deleted,
      ROW({{h_columns}})::{{row_type}} AS staged, ROW({{p_columns}})::{{row_type}} AS current, {{p_missing}} AS gone
    FROM newest n
    JOIN {{shadow}} f ON f._stage_session = p_session AND f._stage_seq = n.root AND f._stage_first
    JOIN {{shadow}} h ON h._stage_session = p_session AND h._stage_seq = n.seq
    LEFT JOIN {{source}} p ON {{p_matches_first}}
    WHERE {{p_missing}} OR NOT (ROW({{p_columns}})::{{row_type}} *= f._stage_base)
  ), touched AS (
    SELECT m.root, {{changed_by_session}} AS changed
    FROM moved m JOIN {{shadow}} v ON v._stage_session = p_session AND coalesce(v._stage_root, v._stage_seq) = m.root
    WHERE v._stage_origin <> 'k' GROUP BY m.root
  )
  SELECT CASE WHEN m.gone THEN 'gone' ELSE 'changed' END, m.row_id, c.field, c.base,
    CASE WHEN NOT m.deleted THEN c.staged END, CASE WHEN NOT m.gone THEN c.current END
  FROM moved m JOIN touched t ON t.root = m.root CROSS JOIN LATERAL (VALUES
    {{fields}},
    (NULL, 0, to_jsonb(m.base), to_jsonb(m.staged), to_jsonb(m.current), m.gone AND (m.deleted OR NOT true = ANY (t.changed)))
  ) AS c (field, number, base, staged, current, moved)
  WHERE c.moved AND (c.number = 0 OR CASE WHEN m.gone THEN NOT m.deleted AND t.changed[c.number]
                                          ELSE p_scope = 'row' OR t.changed[c.number] END)
  ORDER BY m.root, c.number;

  RETURN QUERY
  SELECT DISTINCT ON ({{i_key}}) 'key_exists', {{i_row_id}}, NULL, NULL::jsonb,
    to_jsonb(ROW({{i_columns}})::{{row_type}}), to_jsonb(ROW({{p_columns}})::{{row_type}})
  FROM {{shadow}} i JOIN {{source}} p ON {{p_matches_inserted}}
  WHERE i._stage_session = p_session AND i._stage_origin <> 'k'
    AND (i._stage_op = 'I' OR i._stage_op = 'U' AND NOT ({{i_keeps_key}}))
    AND NOT EXISTS (SELECT 1 FROM {{shadow}} f WHERE f._stage_session = p_session AND f._stage_first AND {{f_had_inserted}})
  ORDER BY {{i_key}}, i._stage_seq DESC;
END $body$;

-- Production rows of this table that nobody reviewed, but which a staged change of a row they refer to would reach by now.
CREATE FUNCTION {{reached}}(p_session uuid)
RETURNS TABLE (kind text, row_id jsonb, field text, session_base jsonb, session_new jsonb, production_current jsonb)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $body$
#variable_conflict use_variable
BEGIN
{{reached_by_foreign_keys}}
  RETURN;
END $body$;

REVOKE ALL ON FUNCTION {{lock}}(uuid), {{conflicts}}(uuid, text), {{reached}}(uuid) FROM PUBLIC;
