-- Begins a lineage again from production's present row: an INSERT of a row that production has by now becomes an UPDATE of it, and an
-- UPDATE of a row that is gone becomes an INSERT. Returns production's row, NULL if it is gone, whether nothing is left, and whether it was
-- possible: it is not if the session moves the row to another key, or begins by deleting it, or if an action or a trigger began it.
-- Filled in src/overlay/approval/rebase.ts: f is the first version, s any version, p production's row; `no_old` clears what rows were found
-- by, `carry` recomputes it.
CREATE FUNCTION {{rebegin}}(p_session uuid, p_root bigint, OUT current jsonb, OUT is_void boolean, OUT is_possible boolean)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan SET jit = off AS $body$
#variable_conflict use_variable
DECLARE
  v_now {{row_type}};
  v_found boolean;
BEGIN
  SELECT bool_and(s._stage_origin <> 'overlay' AND {{s_keeps_key}}) AND bool_or(s._stage_seq = p_root AND s._stage_origin = 'client' AND s._stage_op <> 'D')
  INTO is_possible
  FROM {{shadow}} f JOIN {{shadow}} s ON s._stage_session = p_session AND coalesce(s._stage_root, s._stage_seq) = p_root
  WHERE f._stage_session = p_session AND f._stage_seq = p_root;
  -- guard: a row that the session has moved is not begun anew
  IF NOT is_possible THEN RETURN; END IF;

  SELECT {{p_columns}} INTO v_now FROM {{shadow}} f JOIN {{source}} p ON {{p_matches_f}}
  WHERE f._stage_session = p_session AND f._stage_seq = p_root;
  v_found := FOUND;
  IF v_found THEN current := {{row_image}}(v_now); END IF;

  UPDATE {{shadow}} s SET _stage_op = CASE WHEN v_found THEN 'U' ELSE 'I' END, _stage_first = v_found, _stage_check = true,
    _stage_base = CASE WHEN v_found THEN v_now END, {{no_old}}
  WHERE s._stage_session = p_session AND s._stage_seq = p_root;
{{carry}}

  SELECT s._stage_op <> 'D' AND v_found AND coalesce(s._stage_given, ROW({{s_columns}})::{{row_type}}) *= v_now INTO is_void FROM {{shadow}} s
  WHERE s._stage_session = p_session AND coalesce(s._stage_root, s._stage_seq) = p_root
  ORDER BY s._stage_seq DESC LIMIT 1;
END $body$;
REVOKE ALL ON FUNCTION {{rebegin}}(uuid, bigint) FROM PUBLIC;
