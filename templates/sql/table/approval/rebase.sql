-- Rebases the staged versions of a row that production has changed under a session onto the present row. For a column in p_theirs every
-- version takes production's value; for one in p_mine those before the session's first change of it. A column that the session never
-- changed follows production. Values that the client gave follow in the same way if triggers changed the row: changes by triggers are no
-- changes of the session. Returns production's row, NULL if it is gone, and whether nothing is left.
-- Filled in src/overlay/approval/rebase.ts: b is the row at first touch, n production's row now, v any version; `carry` recomputes the
-- columns that follow from others.
CREATE FUNCTION {{rebase}}(p_session uuid, p_root bigint, p_theirs text[], p_mine text[], OUT current jsonb, OUT is_void boolean)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan SET jit = off AS $body$
#variable_conflict use_variable
DECLARE
  v_now {{row_type}};
  v_base {{row_type}};
  v_found boolean;
BEGIN
  SELECT (f._stage_base).* INTO v_base FROM {{shadow}} f WHERE f._stage_session = p_session AND f._stage_seq = p_root;
  SELECT {{p_columns}} INTO v_now FROM {{shadow}} f JOIN {{source}} p ON {{p_matches_first}}
  WHERE f._stage_session = p_session AND f._stage_seq = p_root;
  v_found := FOUND;
  IF NOT v_found THEN RETURN; END IF;
  current := {{row_image}}(v_now);

  UPDATE {{shadow}} s SET {{set_columns}}_stage_given = CASE WHEN s._stage_given IS DISTINCT FROM NULL THEN ROW({{given}})::{{row_type}} END,
    _stage_base = CASE WHEN s._stage_first THEN ROW({{base}})::{{row_type}} END
  FROM (
    SELECT {{first_changes}} FROM {{shadow}} v CROSS JOIN (SELECT (v_base).*) b CROSS JOIN LATERAL (SELECT (v._stage_given).*) g
    WHERE v._stage_session = p_session AND coalesce(v._stage_root, v._stage_seq) = p_root AND v._stage_origin <> 'overlay'
  ) c CROSS JOIN (SELECT (v_base).*) b CROSS JOIN (SELECT (v_now).*) n
  WHERE s._stage_session = p_session AND coalesce(s._stage_root, s._stage_seq) = p_root AND s._stage_origin <> 'overlay';
{{carry}}

  SELECT (f._stage_base).* INTO v_base FROM {{shadow}} f WHERE f._stage_session = p_session AND f._stage_seq = p_root;
  SELECT s._stage_op <> 'D' AND coalesce(s._stage_given, ROW({{s_columns}})::{{row_type}}) *= v_base INTO is_void FROM {{shadow}} s
  WHERE s._stage_session = p_session AND coalesce(s._stage_root, s._stage_seq) = p_root AND s._stage_origin <> 'overlay'
  ORDER BY s._stage_seq DESC LIMIT 1;
END $body$;
REVOKE ALL ON FUNCTION {{rebase}}(uuid, bigint, text[], text[]) FROM PUBLIC;
