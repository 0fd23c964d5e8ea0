-- Returns whether the DO UPDATE of an INSERT into a relation may read rows of that relation: as PostgreSQL does it, these are the rows from
-- before the statement. p_reads: {"relations": [oid, ...], "functions": [name of the schema of staged functions, ...]}.
-- It runs with the rights and the search path of its caller.
CREATE OR REPLACE FUNCTION stage.reads_itself(p_reads jsonb, p_relation oid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
  WITH RECURSIVE behind (relation) AS (
    SELECT r.relation::oid FROM jsonb_array_elements_text(p_reads -> 'relations') r (relation)
    UNION
    SELECT stage.relation_in(u.name, f.path) FROM jsonb_array_elements_text(p_reads -> 'functions') s (schema)
    JOIN stage.staged_function f ON s.schema IN ('stage_function_' || f.id, 'stage_function_' || (f.uses ->> 'leaving'))
    CROSS JOIN LATERAL jsonb_array_elements(f.uses -> 'relations') u (name)
    UNION
    SELECT b.relation FROM behind w CROSS JOIN LATERAL (
      SELECT i.inhrelid FROM pg_inherits i WHERE i.inhparent = w.relation
      UNION ALL SELECT stage.relations_behind(w.relation)) b (relation)
  )
  SELECT EXISTS (SELECT FROM behind w WHERE w.relation = p_relation)
$$;
