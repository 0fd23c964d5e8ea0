-- A cheap witness of the definition of a view or partition, as table_stamp is one of a table's.
CREATE OR REPLACE FUNCTION stage.staged_view_stamp(p_relation oid) RETURNS text
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN pg_catalog.concat_ws('.', stage.table_stamp(p_relation), (
    SELECT pg_catalog.sum(r.xmin::pg_catalog.text::pg_catalog.int8) FROM pg_catalog.pg_rewrite r
    WHERE r.ev_class OPERATOR(pg_catalog.=) p_relation));
END $$;
