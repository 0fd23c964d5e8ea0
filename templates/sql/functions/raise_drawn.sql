-- Raises an error for a row for which production's triggers draw other values at approval than while staging, by which others find it.
CREATE OR REPLACE FUNCTION stage.raise_drawn(p_relation oid, p_staged text, p_landed text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_name text := (SELECT o.shown_name FROM stage.overlay o WHERE o.relation = p_relation);
BEGIN
  RAISE EXCEPTION 'a trigger of "%" draws % for a row that was staged with %', v_name, p_landed, p_staged
    USING ERRCODE = 'ST003', TABLE = v_name, DETAIL = 'What triggers draw keys from has changed in production since the row was staged.';
END $$;
REVOKE ALL ON FUNCTION stage.raise_drawn(oid, text, text) FROM PUBLIC;
