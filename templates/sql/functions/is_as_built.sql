-- Returns whether the table of an overlay is unchanged since the overlay was built, and the overlay is not marked as outdated.
-- p_system: the result of stage.system_stamp; callers that check many tables compute it once; it is computed here otherwise.
CREATE OR REPLACE FUNCTION stage.is_as_built(p_relation oid, p_system text DEFAULT NULL) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_overlay record;
BEGIN
  SELECT o.signature, o.stamp, o.definition_stamp INTO v_overlay FROM stage.overlay o WHERE o.relation = p_relation;
  IF NOT FOUND OR starts_with(v_overlay.stamp, 'outdated ') THEN RETURN false; END IF;
  IF v_overlay.definition_stamp = concat_ws(' ', stage.definition_stamp(p_relation), coalesce(p_system, stage.system_stamp())) THEN RETURN true; END IF;
  -- guard: a stamp that differs may be that of the same definition
  RETURN v_overlay.signature IS NOT DISTINCT FROM stage.table_signature(p_relation);
END $$;
REVOKE ALL ON FUNCTION stage.is_as_built(oid, text) FROM PUBLIC;
