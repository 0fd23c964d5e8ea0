-- Returns the rows of one table, without those of its children, that this transaction may have written or locked, as they are now.
-- VOLATILE: it sees them even where its caller sees none of the transaction's changes.
CREATE OR REPLACE FUNCTION stage.versions_now(p_relation oid, p_since bigint)
RETURNS TABLE (tid tid, is_new boolean, image jsonb)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY EXECUTE format(
    'SELECT _stage_t.ctid, _stage_n.is_new, CASE WHEN _stage_n.is_new THEN stage.row_image(_stage_t.*) END'
    ' FROM ONLY %s _stage_t CROSS JOIN LATERAL (SELECT stage.is_since(_stage_t.xmin, $1) AS is_new) _stage_n'
    ' WHERE _stage_n.is_new OR _stage_t.xmax <> ''0''', p_relation::regclass) USING p_since;
END $$;
REVOKE ALL ON FUNCTION stage.versions_now(oid, bigint) FROM PUBLIC;
