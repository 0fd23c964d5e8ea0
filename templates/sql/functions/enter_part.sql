-- Begins a statement that stages a part of an upsert or MERGE, one level deeper than production's triggers fire (p_step: 1), or ends it (-1).
-- Returns how many there are.
CREATE OR REPLACE FUNCTION stage.enter_part(p_step int) RETURNS text
LANGUAGE sql VOLATILE AS $$
  SELECT pg_catalog.set_config('stage.parts', (coalesce(nullif(pg_catalog.current_setting('stage.parts', true), ''), '0')::pg_catalog.int4 OPERATOR(pg_catalog.+) p_step)::pg_catalog.text, true)
$$;
