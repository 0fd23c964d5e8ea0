-- Turns the rows that BEFORE triggers wrote for rows that are not staged into changes of the client's statement, and returns their number.
-- Their AFTER triggers have fired. Approval applies them before or after all rows of the statement, not between these.
-- p_affected: the number of rows that the statement has staged.
CREATE OR REPLACE FUNCTION stage.adopt_effects(p_session uuid, p_mutation bigint, p_affected bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_relation oid;
  v_is_mixed boolean;
  v_seqs bigint[];
  v_inserted bigint[];
  v_count bigint := 0;
BEGIN
  FOR v_relation IN SELECT DISTINCT e.relation FROM stage.effect e WHERE e.session = p_session AND e.cause = -1 LOOP
    EXECUTE format($q$
      WITH adopted AS (
        UPDATE stage_data.shadow_%1$s s SET _stage_origin = 'client' FROM stage.effect e
        WHERE s._stage_session = $1 AND s._stage_mutation = $2 AND e.session = $1 AND e.seq = s._stage_seq AND e.cause = -1 AND e.relation = %1$s
        RETURNING e.seq, e.root)
      SELECT array_agg(a.seq), bool_or(o.seq < a.seq OR o.seq IS NOT NULL AND $3 > 1), array_agg(DISTINCT a.root) FILTER (WHERE f._stage_origin::text = 'trigger' AND f._stage_op = 'I' AND f._stage_seq <> ALL (ARRAY(SELECT seq FROM adopted)))
      FROM adopted a LEFT JOIN stage_data.shadow_%1$s f ON f._stage_session = $1 AND f._stage_seq = a.root
      LEFT JOIN (stage.effect o JOIN stage_data.shadow_%1$s x ON x._stage_session = $1 AND x._stage_seq = o.seq AND x._stage_mutation = $2)
        ON o.session = $1 AND o.relation = %1$s AND o.root = a.root AND o.cause > 0
    $q$, v_relation) INTO v_seqs, v_is_mixed, v_inserted USING p_session, p_mutation, p_affected;
    CONTINUE WHEN v_seqs IS NULL;
    -- guard: no row that a trigger inserts under another key at approval is changed by the approval
    PERFORM stage.refuse_effect(p_session, v_relation, r) FROM unnest(v_inserted) r;
    -- guard: what triggers write to one row for several rows of a statement is applied in the order in which they wrote it
    IF v_is_mixed THEN
      RAISE EXCEPTION 'cannot stage what triggers write to a row of "%" for a row that they suppress, and for others of the same statement',
          (SELECT o.shown_name FROM stage.overlay o WHERE o.relation = v_relation)
        USING ERRCODE = 'feature_not_supported', HINT = 'Change the rows by one statement each.';
    END IF;
    DELETE FROM stage.effect e WHERE e.session = p_session AND e.seq = ANY (v_seqs);
    v_count := v_count + cardinality(v_seqs);
  END LOOP;
  RETURN v_count;
END $$;
REVOKE ALL ON FUNCTION stage.adopt_effects(uuid, bigint, bigint) FROM PUBLIC;
