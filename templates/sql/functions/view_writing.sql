-- Returns what a write to a view does: 'automatic' if PostgreSQL turns it into a write to the table behind, 'code' if triggers or rules
-- define what it does, 'error' if it is not possible.
CREATE OR REPLACE FUNCTION stage.view_writing(p_view oid) RETURNS text
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN CASE
    WHEN EXISTS (SELECT FROM pg_catalog.pg_rewrite r WHERE r.ev_class OPERATOR(pg_catalog.=) p_view AND r.rulename OPERATOR(pg_catalog.<>) '_RETURN')
      OR EXISTS (SELECT FROM pg_catalog.pg_trigger t WHERE t.tgrelid OPERATOR(pg_catalog.=) p_view
        AND (t.tgtype OPERATOR(pg_catalog.&) 64::pg_catalog.int2) OPERATOR(pg_catalog.<>) 0::pg_catalog.int2) THEN 'code'
    WHEN pg_catalog.pg_relation_is_updatable(p_view, false) OPERATOR(pg_catalog.<>) 0 THEN 'automatic'
    WHEN pg_catalog.pg_relation_is_updatable(p_view, true) OPERATOR(pg_catalog.<>) 0 THEN 'code'
    ELSE 'error' END;
END $$;
