-- Returns whether all names still stand for what the proxy took them for. p_entries: an array of what stage.is_current takes.
-- p_stamps: the stamps of the relations, where a function of the overlay can return them (see stage.stamp_when_planned).
DROP FUNCTION IF EXISTS stage.are_current(jsonb);
CREATE OR REPLACE FUNCTION stage.are_current(p_entries jsonb, p_stamps text[] DEFAULT '{}') RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  FOR v_index IN 0 .. pg_catalog.jsonb_array_length(p_entries) OPERATOR(pg_catalog.-) 1 LOOP
    IF NOT stage.is_current(p_entries OPERATOR(pg_catalog.->) v_index, p_stamps[v_index OPERATOR(pg_catalog.+) 1]) THEN RETURN false; END IF;
  END LOOP;
  RETURN true;
END $$;
