-- Returns whether the copies of a table's triggers, if any, are current, with all that they call and read, and those of the tables that
-- they write to.
CREATE OR REPLACE FUNCTION stage.triggers_fit(p_relation oid) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF EXISTS (
    SELECT FROM stage.overlay o WHERE o.relation OPERATOR(pg_catalog.=) p_relation AND o.trigger_stamp IS NOT NULL
      AND o.trigger_stamp OPERATOR(pg_catalog.<>) stage.function_stamp(o.trigger_uses, o.trigger_path))
  THEN
    RETURN false;
  END IF;
  -- guard: triggers that fire for rows of triggers are current, too
  RETURN NOT EXISTS (SELECT FROM stage.written_by_triggers(p_relation) w (relation) WHERE stage.has_stale_triggers(w.relation));
END $$;
