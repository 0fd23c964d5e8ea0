-- Actions of foreign keys that production runs itself when the parent is applied: those ON UPDATE, and some ON DELETE (see gone). Staging
-- has foreseen their rows, so they are not applied a second time, only read before (capture) and after (cascaded, gone) for the audit.
-- The functions change only shadow rows that the approval is about to discard; conflicts were checked before.
-- Filled in src/overlay/approval/apply.ts: `rows` selects the staged rows s, p is production's row, x a staged version.

-- Adds to every staged update the row as it was before: rows touched again do not have it yet. If several actions changed one row in one
-- statement, the last one replaces all of them: it may delete what another one changed, or change it once more.
CREATE FUNCTION {{prepare}}(p_session uuid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_nestloop = off SET jit = off AS $body$
#variable_conflict use_variable
BEGIN
  IF NOT EXISTS (
    SELECT 1 FROM {{shadow}} s
    WHERE s._stage_session = p_session AND s._stage_base IS NOT DISTINCT FROM NULL AND (s._stage_op = 'U' OR s._stage_origin = 'action')
  ) THEN
    RETURN;
  END IF;
  UPDATE {{shadow}} s SET _stage_first = true, _stage_base = v.previous
  FROM (
    SELECT x._stage_seq AS seq,
      lag(ROW({{x_columns}})::{{row_type}}) OVER (PARTITION BY coalesce(x._stage_root, x._stage_seq) ORDER BY x._stage_seq) AS previous
    FROM {{shadow}} x WHERE x._stage_session = p_session AND x._stage_origin <> 'overlay'
  ) v
  WHERE s._stage_session = p_session AND s._stage_seq = v.seq AND s._stage_base IS NOT DISTINCT FROM NULL
    AND (s._stage_op = 'U' OR s._stage_origin = 'action');

  UPDATE {{shadow}} s SET _stage_origin = CASE WHEN a.seq = a.last THEN 'action'::stage.row_origin ELSE 'overlay' END, _stage_base = a.base, {{set_old}}
  FROM (
    SELECT x._stage_seq AS seq, count(*) OVER w AS actions, max(x._stage_seq) OVER w AS last,
      first_value(x._stage_base) OVER (w ORDER BY x._stage_seq) AS base, {{first_old}}
    FROM {{shadow}} x WHERE x._stage_session = p_session AND x._stage_origin = 'action'
    WINDOW w AS (PARTITION BY x._stage_mutation, coalesce(x._stage_root, x._stage_seq))
  ) a
  WHERE s._stage_session = p_session AND s._stage_seq = a.seq AND a.actions > 1;
END $body$;

CREATE FUNCTION {{capture}}(
  p_session uuid, p_first bigint, p_last bigint, p_mutation bigint, p_operation "char", p_origin stage.row_origin
) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $body$
#variable_conflict use_variable
BEGIN
  UPDATE {{shadow}} s SET _stage_base = ROW({{p_columns}})::{{row_type}}
  FROM {{production}} p
  WHERE {{rows}} AND {{p_matches_old}};
END $body$;

CREATE FUNCTION {{cascaded}}(
  p_session uuid, p_first bigint, p_last bigint, p_mutation bigint, p_operation "char", p_origin stage.row_origin
) RETURNS TABLE (lineage bigint, row_id text, row_key jsonb, old_data jsonb, new_data jsonb, texts jsonb, staged jsonb)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $body$
#variable_conflict use_variable
BEGIN
  RETURN QUERY
  SELECT coalesce(s._stage_root, s._stage_seq), {{s_old_row_id}}, {{s_old_row_key}}, {{row_image}}(s._stage_base), {{row_image}}(p.image),
    stage.texts_of_rows('old_data', {{base_texts}}, 'new_data', {{image_texts}}),
    CASE WHEN s._stage_given IS DISTINCT FROM NULL THEN stage.staged_unlike({{made}}, NULL, NULL, {{row_image}}(p.image)) END
  FROM {{shadow}} s JOIN LATERAL (SELECT ROW({{p_columns}})::{{row_type}} AS image FROM {{production}} p WHERE {{p_matches_new}} LIMIT 1) p ON true
  CROSS JOIN LATERAL (SELECT (s._stage_base).*) b CROSS JOIN LATERAL (SELECT (p.image).*) i
  WHERE {{rows}} ORDER BY s._stage_seq;
END $body$;

-- Returns the rows of ON DELETE actions that were left to production: what was captured must be gone.
CREATE FUNCTION {{gone}}(
  p_session uuid, p_first bigint, p_last bigint, p_mutation bigint, p_operation "char", p_origin stage.row_origin
) RETURNS TABLE (lineage bigint, row_id text, row_key jsonb, old_data jsonb, new_data jsonb, texts jsonb, staged jsonb)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $body$
#variable_conflict use_variable
BEGIN
  RETURN QUERY
  SELECT coalesce(s._stage_root, s._stage_seq), {{s_old_row_id}}, {{s_old_row_key}}, {{row_image}}(s._stage_base), NULL::jsonb,
    stage.texts_of_rows('old_data', {{base_texts}}, 'new_data', NULL), NULL::jsonb
  FROM {{shadow}} s CROSS JOIN LATERAL (SELECT (s._stage_base).*) b
  WHERE {{rows}} AND NOT EXISTS (SELECT FROM {{production}} p WHERE {{p_matches_old}}) ORDER BY s._stage_seq;
END $body$;

REVOKE ALL ON FUNCTION {{prepare}}(uuid), {{capture}}(uuid, bigint, bigint, bigint, "char", stage.row_origin),
  {{cascaded}}(uuid, bigint, bigint, bigint, "char", stage.row_origin), {{gone}}(uuid, bigint, bigint, bigint, "char", stage.row_origin) FROM PUBLIC;
