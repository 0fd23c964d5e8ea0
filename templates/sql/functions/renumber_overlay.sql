-- Moves an overlay, of which only shadow table and row type are left, to another number.
CREATE OR REPLACE FUNCTION stage.renumber_overlay(p_former oid, p_relation oid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM stage.drop_stand_ins(p_former);
  EXECUTE format('ALTER TABLE stage_data.shadow_%s RENAME TO shadow_%s', p_former, p_relation);
  EXECUTE format('ALTER TYPE stage_data.row_%s RENAME TO row_%s', p_former, p_relation);
  UPDATE stage.overlay SET relation = p_relation WHERE relation = p_former;
  UPDATE stage.staged_table SET relation = p_relation WHERE relation = p_former;
  UPDATE stage.effect SET relation = p_relation WHERE relation = p_former;
  UPDATE stage.effect SET cause_relation = p_relation WHERE cause_relation = p_former;
END $$;
REVOKE ALL ON FUNCTION stage.renumber_overlay(oid, oid) FROM PUBLIC;
