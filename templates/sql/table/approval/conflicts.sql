-- Conflicts between a session's staged rows of this table and production.
--
-- Statistics know little of rows just staged, so plans do not depend on them: staged rows are joined by hash, and production rows are
-- looked up one by one (LATERAL ... OFFSET 0), which needs the key's index only.
-- Columns of composite values are expanded all at once, by a star: for each column that is named, the parser visits all of them.
-- Filled in src/overlay/approval/conflicts.ts: f is the first version of a row, h its newest, i a version that takes a new key, p
-- production's row, v a staged version or, in `lock`, a vanished row.

-- Locks the production rows that the session touched, in key order; those that vanish against new references, too. Waits for no lock: its
-- holder may be waiting for a row that is locked by now.
-- Returns whether each of them exists and has the image that it had at first touch. This is true of the rows as they are locked: if a row
-- was changed between the statement's snapshot and its lock, PostgreSQL evaluates the comparison again. So it stays true until the
-- transaction ends, and nothing has to be looked up again. A key finds no more than one row, so all rows match if as many match as were
-- touched.
CREATE FUNCTION {{lock}}(p_session uuid) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan SET jit = off AS $body$
#variable_conflict use_variable
DECLARE
  v_unchanged bigint;
BEGIN
  SELECT count(*) FILTER (WHERE l.unchanged) INTO v_unchanged FROM (
    SELECT ROW({{p_columns}})::{{row_type}} *= f._stage_base AS unchanged
    FROM {{production}} p JOIN {{shadow}} f ON {{p_matches_first}}
    WHERE f._stage_session = p_session AND f._stage_first
    ORDER BY {{p_key}} FOR NO KEY UPDATE OF p NOWAIT
  ) l;
  PERFORM 1 FROM {{production}} p JOIN {{vanished}}(p_session) v ON {{p_matches_vanished}}
  ORDER BY {{p_key}} FOR UPDATE OF p NOWAIT;
  RETURN v_unchanged = (SELECT count(*) FROM {{shadow}} f WHERE f._stage_session = p_session AND f._stage_first);
END $body$;

-- Returns touched rows that production changed or deleted since, and staged keys that production has taken since.
-- p_scope `row`: any change of a touched row. `column`: only changes of columns that the session changed, too.
-- p_kept: what `{{lock}}` returned in this transaction; where it is true, production changed and deleted none.
-- p_ignored: columns that do not count. They are returned, as ignored.
CREATE FUNCTION {{conflicts}}(p_session uuid, p_scope text, p_kept boolean, p_ignored text[])
RETURNS TABLE (kind text, row_id jsonb, field text, session_base jsonb, session_new jsonb, production_current jsonb, texts jsonb, deletes boolean, ignored boolean)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET enable_nestloop = off SET jit = off AS $body$
#variable_conflict use_variable
BEGIN
  IF NOT p_kept THEN
    RETURN QUERY
    WITH moved AS (
      SELECT f._stage_seq AS root, {{f_row_id}} AS row_id, f._stage_base AS base, p.image AS current, p.image IS NOT DISTINCT FROM NULL AS gone
      FROM {{shadow}} f
      LEFT JOIN LATERAL (SELECT ROW({{p_columns}})::{{row_type}} AS image FROM {{source}} p WHERE {{p_matches_first}} OFFSET 0) p ON true
      WHERE f._stage_session = p_session AND f._stage_first AND NOT coalesce(p.image *= f._stage_base, false)
    ), numbered AS (
      SELECT m.root, m.base, v._stage_seq AS seq,
        -- a version that follows one of a trigger has that one's values, too
        max(v._stage_seq) FILTER (WHERE v._stage_origin = 'trigger') OVER (PARTITION BY m.root ORDER BY v._stage_seq) AS triggered
      FROM moved m JOIN {{shadow}} v ON v._stage_session = p_session AND coalesce(v._stage_root, v._stage_seq) = m.root
    ), versions AS (
      SELECT m.root, max(v._stage_seq) AS newest, {{changed_by_session}} AS changed
      FROM numbered m CROSS JOIN LATERAL (SELECT (m.base).*) b
      JOIN {{shadow}} v ON v._stage_session = p_session AND v._stage_seq = m.seq
      CROSS JOIN LATERAL (SELECT (v._stage_given).*) g
      LEFT JOIN {{shadow}} t ON t._stage_session = p_session AND t._stage_seq = m.triggered
      WHERE v._stage_origin <> 'overlay' GROUP BY m.root
      -- guard: a row that only triggers changed is in no conflict
      HAVING bool_or(v._stage_origin <> 'trigger')
    -- materialized: each column of it would be computed from all columns of the row otherwise
    ), compared AS MATERIALIZED (
      SELECT m.*, v.changed, h._stage_op = 'D' AS deleted, CASE WHEN h._stage_op <> 'D' THEN ROW({{h_columns}})::{{row_type}} END AS staged
      FROM moved m JOIN versions v ON v.root = m.root
      JOIN {{shadow}} h ON h._stage_session = p_session AND h._stage_seq = v.newest
    )
    SELECT CASE WHEN m.gone THEN 'gone' ELSE 'changed' END, m.row_id, c.field, c.base, c.staged, c.current,
      stage.texts_of_conflict(c.field, {{base_texts}}, {{staged_texts}}, {{current_texts}}), m.deleted,
      -- guard: a row that is gone always counts
      NOT m.gone AND
      c.ignorable AND c.field = ANY (p_ignored)
    FROM compared m CROSS JOIN LATERAL (SELECT (m.base).*) b CROSS JOIN LATERAL (SELECT (m.staged).*) n CROSS JOIN LATERAL (SELECT (m.current).*) p
    CROSS JOIN LATERAL (VALUES
      {{fields}},
      (NULL, 0, m.gone AND (m.deleted OR NOT true = ANY (m.changed)), false, {{row_image}}(m.base), {{row_image}}(m.staged), NULL)
    ) AS c (field, number, shown, ignorable, base, staged, current)
    WHERE c.shown AND (c.number = 0 OR m.changed[c.number] OR p_scope = 'row' AND NOT m.gone)
    ORDER BY m.root, c.number;
  END IF;

  RETURN QUERY
  WITH taken AS MATERIALIZED (
    SELECT i.*, p.image AS _stage_taken
    FROM {{shadow}} i
    CROSS JOIN LATERAL (SELECT ROW({{p_columns}})::{{row_type}} AS image FROM {{source}} p WHERE {{p_matches_inserted}} OFFSET 0) p
    WHERE i._stage_session = p_session AND i._stage_origin <> 'overlay'
      -- guard: a row that only a trigger wrote is in no conflict: the trigger in production writes it under the key that is free then
      -- guard: a row of a trigger that the client changed is in conflict with another one under its key
      AND (i._stage_origin <> 'trigger' OR EXISTS (SELECT 1 FROM {{shadow}} c
        WHERE c._stage_session = p_session AND c._stage_root = coalesce(i._stage_root, i._stage_seq) AND c._stage_origin NOT IN ('overlay', 'trigger')))
      AND (i._stage_op = 'I' OR i._stage_op = 'U' AND NOT ({{i_keeps_key}}))
  )
  SELECT DISTINCT ON ({{i_key}}) 'key_exists', {{i_row_id}}, NULL, NULL::jsonb, {{row_image}}(ROW({{i_columns}})::{{row_type}}), {{row_image}}(i._stage_taken),
    stage.texts_of_conflict(NULL, NULL, {{i_texts}}, {{taken_texts}}), false, false
  FROM taken i CROSS JOIN LATERAL (SELECT (i._stage_taken).*) t
  WHERE NOT EXISTS (SELECT 1 FROM {{shadow}} f WHERE f._stage_session = p_session AND f._stage_first AND {{f_had_inserted}})
  ORDER BY {{i_key}}, i._stage_seq DESC;
END $body$;

REVOKE ALL ON FUNCTION {{lock}}(uuid), {{conflicts}}(uuid, text, boolean, text[]) FROM PUBLIC;
