-- Whether the planner would take the shadow of what a statement names for one that may as well be read whole: it was vacuumed
-- when it had no rows. A statement of many rows would then read, for each of them, all that it has staged so far.
CREATE OR REPLACE FUNCTION stage.misleads_planner(p_relation oid) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  -- a shadow that was never vacuumed has no number of rows, and the planner supposes some
  RETURN EXISTS (
    SELECT FROM (
      SELECT p_relation
      UNION ALL SELECT t.target FROM stage.twin t WHERE t.relation OPERATOR(pg_catalog.=) p_relation
      UNION ALL SELECT m.member FROM stage.tree t, pg_catalog.unnest(t.members) m(member) WHERE t.relation OPERATOR(pg_catalog.=) p_relation
    ) r(relation)
    JOIN pg_catalog.pg_class c ON c.relname OPERATOR(pg_catalog.=) pg_catalog.concat('shadow_', r.relation)::pg_catalog.name
    JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
    WHERE n.nspname OPERATOR(pg_catalog.=) 'stage_data' AND c.reltuples OPERATOR(pg_catalog.>=) 0::pg_catalog.float4
      AND pg_catalog.pg_relation_size(c.oid) OPERATOR(pg_catalog.<) 81920::pg_catalog.int8);
END $$;
