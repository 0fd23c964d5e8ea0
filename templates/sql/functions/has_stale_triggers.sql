-- Returns whether the copies of the triggers of a table that triggers write to have to be made, or made again.
CREATE OR REPLACE FUNCTION stage.has_stale_triggers(p_relation oid) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM stage.overlay o WHERE o.relation = p_relation
      AND CASE WHEN o.trigger_stamp IS NOT NULL THEN o.trigger_stamp <> stage.function_stamp(o.trigger_uses, o.trigger_path)
        -- an overlay that was rebuilt for a read has none yet
        ELSE o.triggers = '[]' AND stage.table_triggers(p_relation) <> '[]' END);
END $$;
