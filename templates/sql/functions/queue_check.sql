-- Queues a check of a statement's rows, by one of the tables' functions, for stage.run_queue.
CREATE OR REPLACE FUNCTION stage.queue_check(p_check text, p_start bigint, p_mutation bigint) RETURNS text
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  SELECT set_config('stage.queue', (coalesce(nullif(current_setting('stage.queue', true), '')::jsonb, '[]')
    || jsonb_build_object('check', p_check, 'start', p_start, 'mutation', p_mutation))::text, true)
$$;

REVOKE ALL ON FUNCTION stage.queue_check(text, bigint, bigint) FROM PUBLIC;
