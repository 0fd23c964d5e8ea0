-- Moves the changes of orphaned rows of a table to another number, and returns it.
CREATE OR REPLACE FUNCTION stage.renumber_parked(p_former oid, p_relation oid) RETURNS oid
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO stage.parked_table
  SELECT p.session, p_relation, p.table_name, p.columns, p.reasons FROM stage.parked_table p WHERE p.relation = p_former;
  UPDATE stage.parked_change SET relation = p_relation WHERE relation = p_former;
  DELETE FROM stage.parked_table WHERE relation = p_former;
  RETURN p_relation;
END $$;
REVOKE ALL ON FUNCTION stage.renumber_parked(oid, oid) FROM PUBLIC;
