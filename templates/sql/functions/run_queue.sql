-- Checks the rows of foreign key actions, one statement of theirs after the other, as PostgreSQL's own queue of triggers does: what an
-- action causes comes after everything that was caused before it. So one action may repair what another one breaks.
CREATE OR REPLACE FUNCTION stage.run_queue() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_queue jsonb;
BEGIN
  LOOP
    v_queue := nullif(current_setting('stage.queue', true), '')::jsonb;
    EXIT WHEN coalesce(v_queue, '[]') = '[]';
    PERFORM set_config('stage.queue', (v_queue - 0)::text, true);
    EXECUTE format('SELECT stage_data.%I($1, $2, $3)', v_queue -> 0 ->> 'check')
      USING current_setting('stage.session')::uuid, (v_queue -> 0 ->> 'start')::bigint, (v_queue -> 0 ->> 'mutation')::bigint;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION stage.run_queue() FROM PUBLIC;
