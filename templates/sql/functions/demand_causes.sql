-- Raises an error if it is unknown for which row a trigger wrote a staged row: approval would not apply it, and no trigger would write it.
CREATE OR REPLACE FUNCTION stage.demand_causes(p_session uuid) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_table text := (SELECT o.shown_name FROM stage.effect e JOIN stage.overlay o ON o.relation = e.relation WHERE e.session = p_session AND e.cause <= 0 LIMIT 1);
BEGIN
  -- guard: no staged row is left out because a trigger is said to have written it
  IF v_table IS NOT NULL THEN
    RAISE EXCEPTION 'a row of % has no statement or trigger that staged it', v_table USING ERRCODE = 'data_corrupted', TABLE = v_table;
  END IF;
END $$;
REVOKE ALL ON FUNCTION stage.demand_causes(uuid) FROM PUBLIC;
