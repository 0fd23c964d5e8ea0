-- Returns the tables that triggers of a table write to while rows are staged, and those that triggers of these write to.
CREATE OR REPLACE FUNCTION stage.written_by_triggers(p_relation oid) RETURNS SETOF oid
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM stage.overlay o WHERE o.relation = p_relation AND o.trigger_uses -> 'written' <> '[]') THEN RETURN; END IF;
  RETURN QUERY
  WITH RECURSIVE written AS (
    SELECT p_relation AS relation
    UNION
    SELECT stage.relation_in(n.name, o.trigger_path) FROM written w JOIN stage.overlay o ON o.relation = w.relation
    CROSS JOIN LATERAL jsonb_array_elements(o.trigger_uses -> 'written') n (name)
  )
  SELECT w.relation FROM written w WHERE w.relation <> p_relation;
END $$;
