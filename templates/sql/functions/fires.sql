-- Returns whether a trigger fires while rows are staged, for some of its operations at least. p_report: one of stage.overlay.triggers.
CREATE OR REPLACE FUNCTION stage.fires(p_report jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT p_report ->> 'obstacle' IS NULL OR p_report ? 'isPartial'
$$;
