-- Unstages lineages of a session, and all its rows of the tables in p_whole, which have no lineages because they have no key.
CREATE OR REPLACE FUNCTION stage.unstage_lineages(p_session uuid, p_relations oid[], p_roots bigint[], p_whole oid[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_table record;
  v_relation oid;
BEGIN
  FOR v_table IN SELECT c.relation, array_agg(c.root) AS roots FROM unnest(p_relations, p_roots) AS c (relation, root) GROUP BY c.relation ORDER BY c.relation LOOP
    EXECUTE format('SELECT stage_data.unstage_%s($1, $2)', v_table.relation) USING p_session, v_table.roots;
    DELETE FROM stage.effect e WHERE e.session = p_session AND e.relation = v_table.relation AND e.root = ANY (v_table.roots);
  END LOOP;
  FOREACH v_relation IN ARRAY p_whole LOOP
    EXECUTE format('DELETE FROM stage_data.shadow_%s WHERE _stage_session = $1', v_relation) USING p_session;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION stage.unstage_lineages(uuid, oid[], bigint[], oid[]) FROM PUBLIC;
