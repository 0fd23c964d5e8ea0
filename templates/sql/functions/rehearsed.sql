-- Returns the effects of a rehearsal on all tables that it wrote to. Open it as a cursor before the rehearsal, and read it afterwards. A
-- table with more than p_scan_rows rows is counted only.
CREATE OR REPLACE FUNCTION stage.rehearsed(p_session uuid, p_since bigint, p_scan_rows bigint, p_counted jsonb, p_most int)
RETURNS TABLE (relation oid, is_scanned boolean, part text, operation text, row_id jsonb, before jsonb, after jsonb,
  inserts bigint, updates bigint, deletes bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_table record;
BEGIN
  FOR v_table IN
    SELECT w.root, array_agg(w.relation ORDER BY w.relation) AS parts, sum(w.row_count) <= p_scan_rows AND NOT bool_or(w.is_taken_whole) AS is_scanned
    FROM stage.written_relations() w WHERE w.kind = 'r' GROUP BY w.root ORDER BY w.root
  LOOP
    IF v_table.is_scanned THEN
      RETURN QUERY SELECT v_table.root, true, r.* FROM stage.rehearsed_table(p_session, v_table.root, v_table.parts, p_since, p_most) r;
    ELSE
      RETURN QUERY SELECT v_table.root, false, r.* FROM stage.rehearsed_counts(p_session, v_table.root, v_table.parts, p_counted, p_most) r;
    END IF;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION stage.rehearsed(uuid, bigint, bigint, jsonb, int) FROM PUBLIC;
