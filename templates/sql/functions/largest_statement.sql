-- Returns the maximum number of rows that one statement of a client changed in some tables of a session, without those that triggers write.
-- Statements of the service have no role: it resolves conflicts, and reverts approvals.
CREATE OR REPLACE FUNCTION stage.largest_statement(p_session uuid, p_relations oid[]) RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_largest bigint;
BEGIN
  IF cardinality(p_relations) = 0 THEN RETURN 0; END IF;
  EXECUTE 'SELECT max(t.changed) FROM (SELECT sum(c.changed) AS changed FROM (' || (SELECT string_agg(format(
    'SELECT m.statement, m.id, count(DISTINCT coalesce(s._stage_root, s._stage_seq)) AS changed FROM stage_data.shadow_%s s'
    ' JOIN stage.mutation m ON m.session = $1 AND m.id = s._stage_mutation AND m.role IS NOT NULL'
    ' WHERE s._stage_session = $1 AND s._stage_origin::text NOT IN (''overlay'', ''trigger'') GROUP BY m.statement, m.id', r.oid), ' UNION ALL ')
    FROM unnest(p_relations) r (oid)) || ') c GROUP BY coalesce(c.statement, c.id)) t'
  INTO v_largest USING p_session;
  RETURN coalesce(v_largest, 0);
END $$;
REVOKE ALL ON FUNCTION stage.largest_statement(uuid, oid[]) FROM PUBLIC;
