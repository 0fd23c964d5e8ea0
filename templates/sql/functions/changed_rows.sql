-- Returns the rows of a table that this transaction has written since the caller's snapshot: as they are in the snapshot, and as they are
-- now. Call it from a cursor that was opened before the transaction wrote anything: it is STABLE, so it sees what the cursor sees. Row
-- versions are distinguished by their ctid, so that a row that was only locked is not returned; then they are paired by the key of the
-- table, or by all their values where there is no key.
CREATE OR REPLACE FUNCTION stage.changed_rows(p_root oid, p_parts oid[], p_since bigint)
RETURNS TABLE (key jsonb, before jsonb, after jsonb)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET enable_nestloop = off SET jit = off AS $$
DECLARE
  v_key text;
  v_now text;
  v_then text;
  v_doubtful text;
BEGIN
  SELECT stage.key_expression(ARRAY(SELECT k ->> 'name' FROM jsonb_array_elements(stage.table_key(p_root) -> 'key') AS k), 'v.image') INTO v_key;
  SELECT string_agg(format('SELECT %s AS part, n.* FROM stage.versions_now(%1$s, $1) n', p), ' UNION ALL '),
    string_agg(format('SELECT stage.row_image(_stage_t.*) AS image FROM ONLY %s _stage_t'
      ' LEFT JOIN n ON n.part = %s AND n.tid = _stage_t.ctid WHERE _stage_t.xmax <> ''0'' AND n.tid IS NULL', p::regclass, p), ' UNION ALL '),
    string_agg(format('SELECT %s AS part, _stage_t.ctid AS tid FROM ONLY %s _stage_t WHERE stage.is_since(_stage_t.xmin, $1)', p, p::regclass), ' UNION ALL ')
  INTO v_now, v_then, v_doubtful FROM unnest(p_parts) AS p;
  RETURN QUERY EXECUTE format($q$
    WITH n AS MATERIALIZED (%s), doubtful AS MATERIALIZED (%s),
    b AS (SELECT %4$s AS key, v.image, row_number() OVER (PARTITION BY %4$s ORDER BY v.image) AS copy FROM (%3$s) v),
    a AS (
      SELECT %4$s AS key, v.image, row_number() OVER (PARTITION BY %4$s ORDER BY v.image) AS copy
      FROM n v LEFT JOIN doubtful d ON d.part = v.part AND d.tid = v.tid WHERE v.is_new AND d.tid IS NULL)
    SELECT coalesce(a.key, b.key), b.image, a.image FROM a FULL JOIN b ON b.key = a.key AND b.copy = a.copy
  $q$, v_now, v_doubtful, v_then, v_key) USING p_since;
END $$;
REVOKE ALL ON FUNCTION stage.changed_rows(oid, oid[], bigint) FROM PUBLIC;
