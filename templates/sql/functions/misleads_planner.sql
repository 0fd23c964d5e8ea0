-- Returns whether the planner would choose to scan the whole shadow table of a relation that a statement names, because it was vacuumed
-- when it had no rows. A statement of many rows would then scan, for each of them, everything that it has staged so far.
CREATE OR REPLACE FUNCTION stage.misleads_planner(p_relation oid) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN stage.seems_empty(p_relation)
    OR EXISTS (SELECT FROM stage.staged_view t WHERE t.relation OPERATOR(pg_catalog.=) p_relation AND stage.seems_empty(t.target))
    OR EXISTS (SELECT FROM stage.tree t, pg_catalog.unnest(t.members) m(member)
      WHERE t.relation OPERATOR(pg_catalog.=) p_relation AND stage.seems_empty(m.member));
END $$;
