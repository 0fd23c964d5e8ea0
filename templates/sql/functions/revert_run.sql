-- Reverts one run through the overlay of its table, as a separate statement in the mutation log.
CREATE OR REPLACE FUNCTION stage.revert_run(p_from uuid, p_run stage.apply_run, p_skipped bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_relation oid := stage.relation_of_approval(p_from, p_run.relation);
BEGIN
  PERFORM stage.begin_statement(
    format('-- stage revert sess_%s aud_%s..aud_%s', replace(p_from::text, '-', ''), p_run.first, p_run.last), '[]', '[]',
    jsonb_build_object('stage.overriding_' || v_relation, 'system')::text, stage.name_context());
  EXECUTE format('SELECT stage_data.undo_%s($1, $2, $3, $4, $5, $6)', v_relation)
  USING p_from, p_run.relation, p_run.step, p_run.first, p_run.last, p_skipped;
END $$;
REVOKE ALL ON FUNCTION stage.revert_run(uuid, stage.apply_run, bigint[]) FROM PUBLIC;
