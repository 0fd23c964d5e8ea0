-- Returns the rows that the session deleted, or moved away from values by which they are found or referred to: as they were at first touch,
-- and which columns they left.
-- Filled in src/overlay/approval/conflicts.ts: `leaves` is the condition that version v does so; `reached_by_foreign_keys` is
-- conflicts_reached.sql, filled for each foreign key that acts.
CREATE FUNCTION {{vanished}}(p_session uuid) RETURNS TABLE (base {{row_type}}, deleted boolean, columns_left text[])
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET enable_nestloop = off SET jit = off AS $body$
#variable_conflict use_variable
BEGIN
  RETURN QUERY
  SELECT f._stage_base, c.deleted, c.columns_left
  FROM (
    SELECT coalesce(v._stage_root, v._stage_seq) AS root, bool_or(v._stage_op = 'D') AS deleted,
      array_remove(ARRAY[{{columns_left}}], NULL) AS columns_left
    FROM {{shadow}} v WHERE v._stage_session = p_session AND v._stage_origin NOT IN ('overlay', 'trigger') AND ({{leaves}}) GROUP BY 1
  ) c
  JOIN {{shadow}} f ON f._stage_session = p_session AND f._stage_seq = c.root AND f._stage_first;
END $body$;

-- Returns production rows of this table that nobody reviewed, but that a staged change of a row that they refer to would reach by now.
CREATE FUNCTION {{reached}}(p_session uuid)
RETURNS TABLE (kind text, row_id jsonb, field text, session_base jsonb, session_new jsonb, production_current jsonb, texts jsonb, deletes boolean)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $body$
#variable_conflict use_variable
BEGIN
{{reached_by_foreign_keys}}
END $body$;

REVOKE ALL ON FUNCTION {{vanished}}(uuid), {{reached}}(uuid) FROM PUBLIC;
