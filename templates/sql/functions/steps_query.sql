-- Returns the query for the steps of a session in the order of approval: table_name, operation, row_id, before, after, texts, mutation,
-- statement, and place and seq, which are that order.
-- The query sorts only numbers: it looks up each row in its turn, and the version before it through the index on lineages.
CREATE OR REPLACE FUNCTION stage.steps_query(p_session uuid) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_numbers text;
  v_rows text;
BEGIN
  SELECT
    string_agg(format('SELECT %s AS relation, s._stage_seq AS seq, s._stage_mutation AS mutation FROM stage_data.shadow_%1$s s'
      -- guard: a row of a trigger is no step: approval and scripts leave it to the trigger in production
      ' WHERE s._stage_session = %L AND s._stage_origin::text NOT IN (''overlay'', ''trigger'')', o.relation, p_session), ' UNION ALL '),
    string_agg(format($q$
      SELECT %1$L::text AS table_name, s._stage_op AS op, %2$s AS row_id,
        CASE s._stage_op WHEN 'D' THEN w.image WHEN 'U' THEN stage.row_image(b.base) END AS before,
        CASE WHEN s._stage_op <> 'D' THEN w.image END AS after,
        stage.texts_of_rows('before', CASE s._stage_op WHEN 'D' THEN w.texts WHEN 'U' THEN t.texts END,
          'after', CASE WHEN s._stage_op <> 'D' THEN w.texts END) AS texts
      FROM stage_data.shadow_%4$s s
      CROSS JOIN LATERAL (SELECT stage.row_image(v.version) AS image, t.texts
        FROM (SELECT ROW(%5$s)::stage_data.row_%4$s AS version OFFSET 0) v CROSS JOIN LATERAL stage_data.texts_%4$s(v.version) t) w
      CROSS JOIN LATERAL (SELECT CASE WHEN s._stage_op = 'U' THEN coalesce(s._stage_base,
          (SELECT ROW(%3$s)::stage_data.row_%4$s FROM stage_data.shadow_%4$s v
           WHERE v._stage_root = s._stage_root AND v._stage_seq < s._stage_seq AND v._stage_origin <> 'overlay' ORDER BY v._stage_seq DESC LIMIT 1),
          (SELECT ROW(%3$s)::stage_data.row_%4$s FROM stage_data.shadow_%4$s v
           WHERE v._stage_session = s._stage_session AND v._stage_seq = s._stage_root)) END AS base OFFSET 0) b
      CROSS JOIN LATERAL stage_data.texts_%4$s(b.base) t
      WHERE k.relation = %4$s AND s._stage_session = %6$L AND s._stage_seq = k.seq
    $q$, o.shown_name,
    (SELECT CASE cardinality(o.key_columns)
       WHEN 0 THEN 'to_jsonb(left(encode(CASE s._stage_op WHEN ''I'' THEN s._stage_image ELSE s._stage_old_1 END, ''hex''), 16))'
       WHEN 1 THEN min(c.value)
       ELSE format('jsonb_build_object(%s)', string_agg(format('%L, %s', c.name, c.value), ', ' ORDER BY c.n)) END
     FROM (SELECT k.name, k.n, format('stage.key_value(CASE s._stage_op WHEN ''I'' THEN s.%I ELSE s._stage_old_%s END)', k.name, k.n) AS value
           FROM unnest(o.key_columns) WITH ORDINALITY AS k (name, n)) c),
    (SELECT string_agg(format('v.%I', c.name), ', ' ORDER BY c.n) FROM unnest(o.columns) WITH ORDINALITY AS c (name, n)),
    o.relation,
    (SELECT string_agg(format('s.%I', c.name), ', ' ORDER BY c.n) FROM unnest(o.columns) WITH ORDINALITY AS c (name, n)),
    p_session), ' UNION ALL ')
  INTO v_numbers, v_rows
  FROM stage.staged_shapes(p_session) o;
  IF v_numbers IS NULL THEN
    RETURN 'SELECT NULL AS table_name, NULL AS operation, NULL AS row_id, NULL AS before, NULL AS after, NULL AS texts, NULL AS mutation, NULL AS statement, 0::bigint AS place, 0::bigint AS seq WHERE false';
  END IF;
  RETURN format($q$
    SELECT r.table_name, CASE r.op WHEN 'I' THEN 'INSERT' WHEN 'U' THEN 'UPDATE' ELSE 'DELETE' END AS operation,
      r.row_id, r.before, r.after, r.texts, k.mutation, k.statement, k.place, k.seq
    FROM (SELECT s.*, m.statement, coalesce(max(m.ended) OVER w, min(s.seq) OVER w) AS place
          FROM (%s) s LEFT JOIN stage.mutation m ON m.session = %L AND m.id = s.mutation WINDOW w AS (PARTITION BY m.statement)) k
    CROSS JOIN LATERAL (%s) r
    ORDER BY k.place, k.seq
  $q$, v_numbers, p_session, v_rows);
END $$;
REVOKE ALL ON FUNCTION stage.steps_query(uuid) FROM PUBLIC;
