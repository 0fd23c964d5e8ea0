-- Orphans the rows that any session staged in a table that is no longer the same one, and drops the overlay.
CREATE OR REPLACE FUNCTION stage.park_all(p_relation oid, p_reason text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_as oid := coalesce((SELECT b.production FROM stage.bound_tables() b WHERE b.relation = p_relation), stage.free_number());
  v_session uuid;
BEGIN
  FOR v_session IN EXECUTE format('SELECT DISTINCT _stage_session FROM stage_data.shadow_%s', p_relation) LOOP
    PERFORM stage.park_as(v_session, p_relation, '{}', jsonb_build_object('', p_reason), v_as);
  END LOOP;
  PERFORM stage.forget_overlay(p_relation);
END $$;
REVOKE ALL ON FUNCTION stage.park_all(oid, text) FROM PUBLIC;
