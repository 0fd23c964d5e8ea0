-- Returns the rows that triggers wrote for the given lineages while staging, and the lineages for which they wrote the given rows: approval
-- lets triggers write for each row that it applies. Each is returned with the lineage that it depends on.
CREATE OR REPLACE FUNCTION stage.effects_of(p_session uuid, p_relations oid[], p_roots bigint[]) 
RETURNS TABLE (relation oid, root bigint, on_relation oid, on_root bigint)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  -- guard: a row of a trigger is chosen with the row that caused it
  SELECT e.relation, e.root, e.cause_relation, e.cause FROM unnest(p_relations, p_roots) AS c (relation, root)
  JOIN stage.effect e ON e.session = p_session AND e.cause = c.root AND e.cause_relation = c.relation
  UNION ALL
  -- guard: the row that made a trigger write another one is chosen with that
  SELECT e.cause_relation, e.cause, e.relation, e.root FROM unnest(p_relations, p_roots) AS c (relation, root)
  JOIN stage.effect e ON e.session = p_session AND e.root = c.root AND e.relation = c.relation
$$;
REVOKE ALL ON FUNCTION stage.effects_of(uuid, oid[], bigint[]) FROM PUBLIC;
