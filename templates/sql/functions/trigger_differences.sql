-- Returns the columns of rows that this transaction has applied in which they differ from the staged rows, because production's triggers
-- set other values than their copies did while staging. NULL if there are none, else {"count", "unexpected", "rows"}: the number of all of
-- them, the number of those that no text of a trigger explains (see stage.expected_difference), and the first 100. What triggers wrote to
-- other rows is among the unexpected ones if production's triggers do not write it, or if the trigger was changed, disabled or dropped since.
-- p_readable_only: rows of tables that a role that staged in the session may not read are only counted.
CREATE OR REPLACE FUNCTION stage.trigger_differences(p_session uuid, p_readable_only boolean DEFAULT false) RETURNS jsonb
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  v_relation oid;
  v_found jsonb;
  v_changed jsonb;
  v_roots bigint[];
  v_landed jsonb[];
  v_count bigint := 0;
  v_unexpected bigint := 0;
  v_rows jsonb := '[]';
BEGIN
  FOR v_relation IN
    SELECT DISTINCT a.relation FROM stage.audit a WHERE a.session = p_session AND a.staged IS NOT NULL ORDER BY a.relation
  LOOP
    EXECUTE format($q$
      WITH unlike AS MATERIALIZED (
        SELECT DISTINCT a.lineage, k.name FROM stage.audit a CROSS JOIN LATERAL jsonb_object_keys(a.staged) k(name)
        WHERE a.session = $1 AND a.relation = $2 AND a.staged IS NOT NULL),
      expected AS MATERIALIZED (
        SELECT u.name, stage.expected_difference($2, u.name) AS kind FROM (SELECT DISTINCT name FROM unlike) u),
      -- a later statement may have set what an earlier one left different
      found AS MATERIALIZED (
        SELECT d.number, d.row_id, u.name, d.after -> u.name AS staged, l.new_data -> u.name AS landed, e.kind
        FROM stage_data.diff_%s($1) d JOIN unlike u ON u.lineage = d.number JOIN expected e ON e.name = u.name
        CROSS JOIN LATERAL (
          SELECT a.new_data FROM stage.audit a WHERE a.session = $1 AND a.relation = $2 AND a.lineage = d.number ORDER BY a."position" DESC LIMIT 1
        ) l
        WHERE d.after IS NOT NULL AND l.new_data IS NOT NULL AND (d.after -> u.name)::text IS DISTINCT FROM (l.new_data -> u.name)::text)
      SELECT jsonb_build_object('count', count(*), 'unexpected', count(*) FILTER (WHERE f.kind IS NULL), 'rows', (
        SELECT coalesce(jsonb_agg(jsonb_build_object('table', o.shown_name, 'row_id', r.row_id, 'field', r.name, 'staged', r.staged,
            'landed', r.landed, 'expected', r.kind) ORDER BY r.kind IS NOT NULL, r.number, r.name), '[]')
        FROM (SELECT * FROM found ORDER BY kind IS NOT NULL, number, name LIMIT $3) r CROSS JOIN stage.overlay o
        WHERE o.relation = $2
          -- guard: differences in tables that a role may not read are counted only
          AND (NOT $4 OR stage.is_readable($1, $2))))
      FROM found f
    $q$, v_relation) INTO v_found USING p_session, v_relation, 100 - jsonb_array_length(v_rows), p_readable_only;
    v_count := v_count + (v_found ->> 'count')::bigint;
    v_unexpected := v_unexpected + (v_found ->> 'unexpected')::bigint;
    v_rows := v_rows || (v_found -> 'rows');
  END LOOP;
  FOR v_relation, v_changed IN
    SELECT e.relation, coalesce(jsonb_agg(jsonb_build_array(e.cause_relation, e.trigger, e.definition))
      -- guard: rows of triggers that changed since are not taken for rows that production writes
      FILTER (WHERE e.definition IS DISTINCT FROM stage.trigger_definition(e.cause_relation, e.trigger)), '[]')
    FROM (SELECT DISTINCT x.relation, x.cause_relation, x.trigger, x.definition FROM stage.effect x WHERE x.session = p_session) e
    GROUP BY e.relation ORDER BY e.relation
  LOOP
    -- guard: rows of triggers that production does not write are not taken for rows that it writes
    SELECT array_agg(m.root), array_agg(m.landed) INTO v_roots, v_landed FROM stage.missing_effects(p_session, v_relation) m;
    CONTINUE WHEN v_changed = '[]' AND v_roots IS NULL;
    EXECUTE format($q$
      WITH lost AS MATERIALIZED (
        SELECT d.number, d.row_id, k.name, d.after -> k.name AS staged, t.row -> k.name AS landed
        FROM stage_data.diff_%s($1) d LEFT JOIN unnest($6, $7) m (root, landed) ON m.root = d.number
        CROSS JOIN LATERAL jsonb_object_keys(coalesce(d.after, d.before)) k (name)
        -- what the client changed of the row, as it became
        LEFT JOIN LATERAL (
          SELECT a.new_data FROM stage.audit a WHERE a.session = $1 AND a.relation = $2 AND a.lineage = d.number ORDER BY a."position" DESC LIMIT 1
        ) l ON true
        CROSS JOIN LATERAL (SELECT CASE WHEN m.root IS NOT NULL THEN m.landed ELSE coalesce(l.new_data, d.before) END AS row) t
        WHERE (m.root IS NOT NULL OR EXISTS (SELECT FROM stage.effect x WHERE x.session = $1 AND x.relation = $2 AND x.root = d.number
            AND $5 @> jsonb_build_array(jsonb_build_array(x.cause_relation, x.trigger, x.definition))))
          AND (d.after -> k.name)::text IS DISTINCT FROM (t.row -> k.name)::text)
      SELECT jsonb_build_object('count', count(*), 'unexpected', count(*), 'rows', (
        SELECT coalesce(jsonb_agg(jsonb_build_object('table', o.shown_name, 'row_id', r.row_id, 'field', r.name, 'staged', r.staged,
            'landed', r.landed, 'expected', NULL) ORDER BY r.number, r.name), '[]')
        FROM (SELECT * FROM lost ORDER BY number, name LIMIT $3) r CROSS JOIN stage.overlay o
        WHERE o.relation = $2 AND (NOT $4 OR stage.is_readable($1, $2))))
      FROM lost
    $q$, v_relation) INTO v_found
    USING p_session, v_relation, 100 - jsonb_array_length(v_rows), p_readable_only, v_changed, v_roots, v_landed;
    v_count := v_count + (v_found ->> 'count')::bigint;
    v_unexpected := v_unexpected + (v_found ->> 'unexpected')::bigint;
    v_rows := v_rows || (v_found -> 'rows');
  END LOOP;
  IF v_count > 0 THEN RETURN jsonb_build_object('count', v_count, 'unexpected', v_unexpected, 'rows', v_rows); END IF;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION stage.trigger_differences(uuid, boolean) FROM PUBLIC;
