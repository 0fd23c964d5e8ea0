-- Stands for pg_notify() in the copies of BEFORE ROW triggers, and counts the notifications (see stage.demand_sent).
CREATE OR REPLACE FUNCTION stage.pg_notify_before(text, text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM stage.pg_notify($1, $2),
    set_config('stage.unsent', (coalesce(nullif(current_setting('stage.unsent', true), ''), '0')::int + 1)::text, true);
END $$;
