-- Moves staged rows to another session: the chosen lineages and all rows of the tables in p_whole, which have no lineages; with p_others
-- all but these. Rows keep their numbers, which are unique over all sessions and are the order of approval. No head changes: whatever had a
-- key before is moved with the row that has it now.
CREATE OR REPLACE FUNCTION stage.move_lineages(p_session uuid, p_to uuid, p_relations oid[], p_roots bigint[], p_whole oid[], p_others boolean)
RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
DECLARE
  v_relation oid;
  v_roots bigint[];
BEGIN
  FOR v_relation IN SELECT stage.staged_relations(p_session) LOOP
    v_roots := ARRAY(SELECT c.root FROM unnest(p_relations, p_roots) AS c (relation, root) WHERE c.relation = v_relation);
    EXECUTE format('UPDATE stage_data.shadow_%s s SET _stage_session = $2 WHERE s._stage_session = $1 AND'
      ' ($3 OR coalesce(s._stage_root, s._stage_seq) IN (SELECT r.root FROM unnest($4) AS r (root))) <> $5', v_relation)
    USING p_session, p_to, v_relation = ANY (p_whole), v_roots, p_others;
    -- guard: a session that was split from another knows its tables
    PERFORM stage.note_tables(p_to, ARRAY[v_relation]);
    -- guard: the record of a row of a trigger is moved with the row
    UPDATE stage.effect e SET session = p_to WHERE e.session = p_session AND e.relation = v_relation AND (e.root = ANY (v_roots)) <> p_others;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION stage.move_lineages(uuid, uuid, oid[], bigint[], oid[], boolean) FROM PUBLIC;
