-- Creates the temporary table that MERGE runs on in place of a table, where PostgreSQL cannot merge into a view. Returns how many rows that
-- has written to the catalogs, and adds them to what is noted under the nonce: see stage.refuse_written_outside. Event triggers that log
-- DDL write to tables of users meanwhile. Here no code of the client runs, and the search path is fixed, so their rows are noted as well.
DROP FUNCTION IF EXISTS stage.merge_target(oid);
CREATE OR REPLACE FUNCTION stage.merge_target(p_relation oid, p_nonce text DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_before bigint := stage.catalog_writes();
  v_is_logged boolean := p_nonce IS NOT NULL AND EXISTS (SELECT FROM pg_event_trigger t WHERE t.evtenabled <> 'D');
  v_locked jsonb := CASE WHEN v_is_logged THEN stage.locked_writes() END;
  v_logged jsonb := stage.logged(p_nonce);
  v_written bigint;
BEGIN
  EXECUTE format('SELECT stage_data.merge_target_%s()', p_relation);
  v_written := stage.catalog_writes() - v_before;
  IF p_nonce IS NOT NULL THEN PERFORM stage.note_counted(p_nonce, stage.counted(p_nonce) + v_written); END IF;
  IF v_is_logged THEN
    PERFORM stage.note_logged(p_nonce, (
      SELECT coalesce(jsonb_object_agg(a.key,
        -- guard: rows that a client has written before are not taken for those of event triggers
        CASE WHEN v_locked ? a.key THEN (v_logged ->> a.key)::bigint + a.value::bigint - (v_locked ->> a.key)::bigint
        ELSE a.value::bigint END), '{}')
      FROM jsonb_each_text(stage.locked_writes()) a));
  END IF;
  RETURN v_written;
END $$;
