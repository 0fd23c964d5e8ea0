-- Returns the digest of everything that an approval of the session replays: `sha256:` and the end of the hash chain over its steps.
-- A step is one staged row change with its table, the names of the table's columns, its kind, the key by which it finds its row, the row
-- after it, and, at the first touch of a row of production, that row before it. Steps are in the order in which their statements ended,
-- with the bounds of statements and of the changes of each statement to a table: approval replays these together, and triggers see them so;
-- and with the columns that the statement set and the settings that it had, where these are known.
-- Values are in the form from which PostgreSQL would restore them: JSON would be the same for `{1}` and `[0:0]={1}`.
-- Only hashes are sorted, so memory does not grow with the rows. Parallel workers compute those of many rows, where the server has some.
CREATE OR REPLACE FUNCTION stage.steps_digest(p_session uuid) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET jit = off SET enable_nestloop = off
SET plan_cache_mode = force_custom_plan SET parallel_setup_cost = 0 SET parallel_tuple_cost = 0
SET min_parallel_table_scan_size = '1TB' SET min_parallel_index_scan_size = '1TB' SET enable_parallel_append = off AS $$
DECLARE
  v_steps text;
  v_hash bytea;
BEGIN
  SELECT string_agg(format(
    'SELECT s._stage_seq, s._stage_mutation, sha256(convert_to(ROW(%L, s._stage_op,'
    -- digests were first made with letters, before origins had words, and the digest of a session must never change
    ' CASE s._stage_origin WHEN ''client'' THEN ''c'' WHEN ''action'' THEN ''f'' WHEN ''trigger'' THEN ''t'' END, s._stage_first, %s, %s)::text, ''UTF8'')'
    ' || coalesce(sha256(convert_to(s._stage_base::text, ''UTF8'')), '''')'
    -- guard: the digest covers the values that production is given
    ' || coalesce(sha256(convert_to(s._stage_given::text, ''UTF8'')), '''')) FROM stage_data.shadow_%s s'
    -- guard: the digest covers steps without a net change
    ' WHERE s._stage_session = $1 AND s._stage_origin <> ''overlay''',
    jsonb_build_array(o.shown_name, o.columns),
    -- a table without a key has the image of the row there
    (SELECT string_agg('s._stage_old_' || n, ', ' ORDER BY n) FROM generate_series(1, greatest(1, cardinality(o.key_columns))) AS n),
    (SELECT string_agg(format('s.%I', c.name), ', ' ORDER BY c.n) FROM unnest(o.columns) WITH ORDINALITY AS c (name, n)),
    o.relation), ' UNION ALL ')
  INTO v_steps
  FROM stage.staged_shapes(p_session) o;
  -- changes of orphaned rows are not replayed: a session that has some is in conflict. They belong to no mutation
  v_steps := concat_ws(' UNION ALL ', v_steps,
    'SELECT p.number, 0::bigint, sha256(convert_to(jsonb_build_array(t.table_name, p.operation, p.row_id, p.before, p.after)::text, ''UTF8''))'
    ' FROM stage.parked_change p JOIN stage.parked_table t USING (session, relation) WHERE p.session = $1');

  -- Statistics know little of rows just staged, and starting workers takes longer than hashing a few rows. An append over two tables
  -- starts two of them for any size, so it is off as well.
  IF (SELECT sum(m.affected_rows) FROM stage.mutation m WHERE m.session = p_session) > 20000 THEN
    -- both: without the one for indexes, a single worker computes the hashes of a table while the others wait
    PERFORM set_config('min_parallel_table_scan_size', '0', true), set_config('min_parallel_index_scan_size', '0', true),
      set_config('enable_parallel_append', 'on', true);
  END IF;
  EXECUTE $q$
    WITH steps (seq, mutation, hash) AS MATERIALIZED ($q$ || v_steps || $q$),
    -- one row for each mutation: where its statement begins and ended, and the texts before its first step and before the others
    mutations AS MATERIALIZED (
      SELECT g.mutation, min(g.first) OVER w AS first, max(m.ended) OVER w AS ended,
        convert_to(concat(ROW(true, m.relation, m.operation)::text, m.columns, m.settings), 'UTF8') AS opening,
        convert_to(concat(ROW(false, m.relation, m.operation)::text, m.columns, m.settings), 'UTF8') AS going_on
      FROM (SELECT s.mutation, min(s.seq) AS first FROM steps s GROUP BY s.mutation) g
      LEFT JOIN stage.mutation m ON m.id = g.mutation AND m.session = $1
      WINDOW w AS (PARTITION BY m.statement)
    )
    -- guard: the digest covers the bounds of statements
    SELECT stage.chain('', CASE WHEN s.seq = m.first THEN m.opening ELSE m.going_on END || s.hash ORDER BY coalesce(m.ended, m.first), s.seq)
    FROM steps s JOIN mutations m ON m.mutation = s.mutation
  $q$ INTO v_hash USING p_session;
  RETURN 'sha256:' || encode(coalesce(v_hash, sha256('')), 'hex');
END $$;
REVOKE ALL ON FUNCTION stage.steps_digest(uuid) FROM PUBLIC;
