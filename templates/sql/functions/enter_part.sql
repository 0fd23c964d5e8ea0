-- Begins a statement that stages a part of an upsert or MERGE, one level deeper than production's triggers fire (p_step: 1), or ends it (-1).
-- Returns how many there are.
CREATE OR REPLACE FUNCTION stage.enter_part(p_step int) RETURNS text
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  SELECT set_config('stage.parts', (coalesce(nullif(current_setting('stage.parts', true), ''), '0')::int + p_step)::text, true)
$$;
