-- Whether all names still stand for what the proxy took them for. p_entries: what stage.is_current takes.
CREATE OR REPLACE FUNCTION stage.are_current(p_entries jsonb) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  FOR v_index IN 0 .. pg_catalog.jsonb_array_length(p_entries) OPERATOR(pg_catalog.-) 1 LOOP
    IF NOT stage.is_current(p_entries OPERATOR(pg_catalog.->) v_index) THEN RETURN false; END IF;
  END LOOP;
  RETURN true;
END $$;
