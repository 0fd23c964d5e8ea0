-- Drops an overlay with its shadow table, and everything that is staged in it.
CREATE OR REPLACE FUNCTION stage.forget_overlay(p_relation oid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_stamp regprocedure;
BEGIN
  PERFORM stage.drop_stand_ins(p_relation);
  v_stamp := (SELECT p.oid FROM pg_proc p WHERE p.proname = 'stamp_' || p_relation AND p.pronargs = 0 AND stage.is_internal_schema(p.pronamespace));
  IF v_stamp IS NOT NULL THEN EXECUTE format('DROP FUNCTION %s', v_stamp); END IF;
  EXECUTE format('DROP TABLE stage_data.shadow_%s; DROP TYPE stage_data.row_%1$s', p_relation);
  DELETE FROM stage.overlay o WHERE o.relation = p_relation;
END $$;
REVOKE ALL ON FUNCTION stage.forget_overlay(oid) FROM PUBLIC;
