-- Stores the net change of each row that a session staged, under the number of a table, p_as. It reads the shadow table itself: the
-- function of the table that returns its diff may be of another release, or name columns whose type was dropped with CASCADE.
CREATE OR REPLACE FUNCTION stage.park_changes(p_session uuid, p_relation oid, p_as oid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_columns text := (
    SELECT string_agg(format('v.%I', a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute a
    WHERE a.attrelid = to_regclass(format('stage_data.row_%s', p_relation)) AND a.attnum > 0 AND NOT a.attisdropped);
  v_key text[] := (SELECT o.key_columns FROM stage.overlay o WHERE o.relation = p_relation);
  v_row_id text := (
    SELECT CASE count(*) WHEN 1 THEN min(format('stage.key_value((k.image).%I)', c))
      ELSE format('jsonb_build_object(%s)', string_agg(format('%L, stage.key_value((k.image).%I)', c, c), ', ' ORDER BY n)) END
    FROM unnest(v_key) WITH ORDINALITY u(c, n) HAVING count(*) > 0);
BEGIN
  EXECUTE format($query$
    INSERT INTO stage.parked_change (session, relation, number, operation, row_id, before, after)
    SELECT $1, $2, f._stage_seq, o.operation, %3$s,
      CASE WHEN o.operation <> 'INSERT' THEN stage.row_image(f._stage_base) END, CASE WHEN o.operation <> 'DELETE' THEN stage.row_image(h.image) END
    FROM stage_data.shadow_%1$s f
    CROSS JOIN LATERAL (
      SELECT v._stage_op AS op, ROW(%2$s)::stage_data.row_%1$s AS image FROM stage_data.shadow_%1$s v
      WHERE v._stage_session = $1 AND (v._stage_seq = f._stage_seq OR v._stage_root = f._stage_seq) AND v._stage_origin <> 'overlay'
      ORDER BY v._stage_seq DESC LIMIT 1) h
    CROSS JOIN LATERAL (SELECT
      CASE WHEN NOT f._stage_first THEN 'INSERT' WHEN h.op = 'D' THEN 'DELETE' ELSE 'UPDATE' END AS operation) o
    CROSS JOIN LATERAL (SELECT CASE WHEN o.operation = 'INSERT' THEN h.image ELSE f._stage_base END AS image) k
    WHERE f._stage_session = $1 AND f._stage_root IS NULL AND f._stage_origin <> 'overlay'
      AND CASE WHEN h.op = 'D' THEN f._stage_first ELSE NOT f._stage_first OR NOT (h.image *= f._stage_base) END
    $query$, p_relation, v_columns, coalesce(v_row_id,
      $key$to_jsonb(left(encode(CASE WHEN o.operation = 'INSERT' THEN f._stage_image ELSE f._stage_old_1 END, 'hex'), 16))$key$))
  USING p_session, p_as;
END $$;
REVOKE ALL ON FUNCTION stage.park_changes(uuid, oid, oid) FROM PUBLIC;
