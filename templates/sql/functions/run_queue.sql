-- Checks the rows of foreign key actions, and fires AFTER triggers for them, one statement of theirs after the other, as PostgreSQL's own
-- queue of triggers does: the effects of an action come after everything that was caused before it. So one action may repair what another
-- one breaks.
CREATE OR REPLACE FUNCTION stage.run_queue() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_queue jsonb;
  v_entry jsonb;
  v_setting text;
  v_before text;
BEGIN
  LOOP
    v_queue := nullif(current_setting('stage.queue', true), '')::jsonb;
    EXIT WHEN coalesce(v_queue, '[]') = '[]';
    v_entry := v_queue -> 0;
    PERFORM set_config('stage.queue', (v_queue - 0)::text, true);
    -- triggers may wait for updates of certain columns: the columns that the action set
    v_setting := 'stage.set_' || (v_entry ->> 'table')::oid;
    v_before := current_setting(v_setting, true);
    IF v_setting IS NOT NULL THEN PERFORM set_config(v_setting, v_entry ->> 'set', true); END IF;
    EXECUTE format('SELECT stage_data.%I($1, $2, $3, $4)', v_entry ->> 'check')
      USING current_setting('stage.session')::uuid, (v_entry ->> 'start')::bigint, (v_entry ->> 'mutation')::bigint,
        coalesce((v_entry ->> 'end')::bigint, 9223372036854775807);
    IF v_setting IS NOT NULL THEN PERFORM set_config(v_setting, coalesce(v_before, ''), true); END IF;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION stage.run_queue() FROM PUBLIC;
