-- Returns the present OID of the table that was logged under an OID before a rebinding of overlays; 0, which is no table, if it is not
-- known. p_first: the first rebinding after it was logged, null if there was none.
CREATE OR REPLACE FUNCTION stage.relation_now(p_relation oid, p_first int) RETURNS oid
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_relation oid := p_relation;
  v_number int;
BEGIN
  FOR v_number IN SELECT r.number FROM stage.rebinding r WHERE r.number >= p_first ORDER BY r.number LOOP
    v_relation := coalesce((SELECT f.relation FROM stage.former_relation f WHERE f.rebinding = v_number AND f.former = v_relation), 0);
  END LOOP;
  RETURN v_relation;
END $$;
REVOKE ALL ON FUNCTION stage.relation_now(oid, int) FROM PUBLIC;
