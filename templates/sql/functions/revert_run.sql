-- Reverts one run through the overlay of its table, as a separate statement in the mutation log.
CREATE OR REPLACE FUNCTION stage.revert_run(p_from uuid, p_run stage.apply_run, p_skipped bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_relation oid := stage.relation_of_approval(p_from, p_run.relation);
  v_columns jsonb;
BEGIN
  IF p_run.operation = 'U' THEN
    -- guard: a revert fires the triggers of the columns that it brings back, and no others
    SELECT jsonb_agg(DISTINCT k.name) INTO v_columns FROM stage.audit a CROSS JOIN LATERAL jsonb_object_keys(a.old_data) AS k (name)
    WHERE a.session = p_from AND a.relation = p_run.relation AND a."position" BETWEEN p_run.first AND p_run.last AND a.operation = 'UPDATE'
      AND a.lineage <> ALL (p_skipped) AND ((a.old_data -> k.name)::text IS DISTINCT FROM (a.new_data -> k.name)::text
        OR a.texts -> 'old_data' -> k.name IS DISTINCT FROM a.texts -> 'new_data' -> k.name);
  END IF;
  PERFORM stage.begin_statement(
    format('-- stage revert sess_%s aud_%s..aud_%s', replace(p_from::text, '-', ''), p_run.first, p_run.last), '[]', '[]',
    jsonb_strip_nulls(jsonb_build_object('stage.overriding_' || v_relation, 'system', 'stage.set_' || v_relation, v_columns))::text, stage.name_context());
  EXECUTE format('SELECT stage_data.undo_%s($1, $2, $3, $4, $5, $6)', v_relation)
  USING p_from, p_run.relation, CASE p_run.operation WHEN 'I' THEN 'INSERT' WHEN 'U' THEN 'UPDATE' ELSE 'DELETE' END, p_run.first, p_run.last, p_skipped;
END $$;
REVOKE ALL ON FUNCTION stage.revert_run(uuid, stage.apply_run, bigint[]) FROM PUBLIC;
