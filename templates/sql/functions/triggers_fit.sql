-- Returns whether the copies of a table's triggers, if any, are current, with all that they call and read.
CREATE OR REPLACE FUNCTION stage.triggers_fit(p_relation oid) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN NOT EXISTS (
    SELECT FROM stage.overlay o WHERE o.relation OPERATOR(pg_catalog.=) p_relation AND o.trigger_stamp IS NOT NULL
      AND o.trigger_stamp OPERATOR(pg_catalog.<>) stage.function_stamp(o.trigger_uses, o.trigger_path));
END $$;
