-- Conflicts between a session's staged rows of a table without a key and production: there must still be as many rows that equal those
-- touched as were touched. A missing one may have been changed or deleted: that is unknown.
-- Filled in src/overlay/approval/conflicts.ts: f is the first version of a row, h its newest, p production's row, v a vanished row.

-- Locks the rows. Returns false, whether they changed or not: rows that equal each other are counted below.
CREATE FUNCTION {{lock}}(p_session uuid) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $body$
#variable_conflict use_variable
BEGIN
  PERFORM 1 FROM {{production}} p
  WHERE {{p_image}} IN (SELECT f._stage_old_1 FROM {{shadow}} f WHERE f._stage_session = p_session AND f._stage_first)
  ORDER BY p.tableoid, p.ctid FOR NO KEY UPDATE OF p NOWAIT;
  PERFORM 1 FROM {{production}} p
  WHERE {{p_image}} IN (SELECT {{v_image}} FROM {{vanished}}(p_session) v)
  ORDER BY p.tableoid, p.ctid FOR UPDATE OF p NOWAIT;
  RETURN false;
END $body$;

CREATE FUNCTION {{conflicts}}(p_session uuid, p_scope text, p_kept boolean, p_ignored text[])
RETURNS TABLE (kind text, row_id jsonb, field text, session_base jsonb, session_new jsonb, production_current jsonb, texts jsonb, deletes boolean, ignored boolean)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET enable_nestloop = off SET jit = off AS $body$
#variable_conflict use_variable
BEGIN
  RETURN QUERY
  WITH touched AS (
    SELECT f._stage_seq AS root, f._stage_old_1 AS image, f._stage_base AS base,
      row_number() OVER (PARTITION BY f._stage_old_1 ORDER BY f._stage_seq) AS copy
    FROM {{shadow}} f WHERE f._stage_session = p_session AND f._stage_first
  ), present AS (
    SELECT {{p_image}} AS image, count(*) AS copies FROM {{source}} p
    WHERE {{p_image}} IN (SELECT t.image FROM touched t) GROUP BY 1
  ), newest AS (
    SELECT coalesce(s._stage_root, s._stage_seq) AS root, max(s._stage_seq) AS seq
    FROM {{shadow}} s WHERE s._stage_session = p_session AND s._stage_origin <> 'overlay' GROUP BY 1
  )
  SELECT 'gone', {{t_row_id}}, NULL, {{row_image}}(t.base), CASE WHEN h._stage_op <> 'D' THEN {{row_image}}(ROW({{h_columns}})::{{row_type}}) END, NULL::jsonb,
    stage.texts_of_conflict(NULL, {{t_texts}}, CASE WHEN h._stage_op <> 'D' THEN {{h_texts}} END, NULL), h._stage_op = 'D', false
  FROM touched t CROSS JOIN LATERAL (SELECT (t.base).*) b LEFT JOIN present p ON p.image = t.image
  JOIN newest n ON n.root = t.root JOIN {{shadow}} h ON h._stage_session = p_session AND h._stage_seq = n.seq
  WHERE t.copy > coalesce(p.copies, 0)
  ORDER BY t.root;
END $body$;

REVOKE ALL ON FUNCTION {{lock}}(uuid), {{conflicts}}(uuid, text, boolean, text[]) FROM PUBLIC;
