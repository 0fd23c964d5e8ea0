-- Returns whether a relation is read through its staged view: it is a view or a partition. Called only for relations that have a staged
-- view, which may be left of a former partition. In PL/pgSQL, so that the planner does not inline it into a query.
CREATE OR REPLACE FUNCTION stage.has_staged_view(p_relation oid) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM pg_catalog.pg_class c
    -- guard: the former view of a partition that is a table by now is not used
    WHERE c.oid OPERATOR(pg_catalog.=) p_relation AND (c.relkind OPERATOR(pg_catalog.=) 'v' OR c.relispartition));
END $$;
