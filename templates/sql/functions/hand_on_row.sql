-- BEFORE INSERT trigger of a table through which compiled trigger functions fire: passes the row on as they returned it, and stores none.
CREATE OR REPLACE FUNCTION stage.hand_on_row() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM set_config('stage.gated', stage.exact_row(NEW), true);
  RETURN NULL;
END $$;
