-- Whether a relation is read through a staged view once there is one: it is a view or a partition. Asked only of relations that have
-- one, which may be left of what is no partition any more; so it is no expression that the planner could put in a query's place.
CREATE OR REPLACE FUNCTION stage.has_staged_view(p_relation oid) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM pg_catalog.pg_class c
    -- guard: what is left of a partition that has become a table is not taken for what stands for it
    WHERE c.oid OPERATOR(pg_catalog.=) p_relation AND (c.relkind OPERATOR(pg_catalog.=) 'v' OR c.relispartition));
END $$;
