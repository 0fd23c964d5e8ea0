-- Returns a stamp of the definition of a view or partition, as stage.table_stamp does for a table. What a view reads depends on the
-- relations in its query, and a partition is read through its root: their names, columns and children are part of the stamp.
CREATE OR REPLACE FUNCTION stage.staged_view_stamp(p_relation oid) RETURNS text
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN pg_catalog.concat_ws('.', stage.table_stamp(p_relation), (
    SELECT pg_catalog.sum(r.xmin::pg_catalog.text::pg_catalog.int8) FROM pg_catalog.pg_rewrite r
    WHERE r.ev_class OPERATOR(pg_catalog.=) p_relation), (
    SELECT pg_catalog.concat_ws('.', pg_catalog.count(*), pg_catalog.sum(e.version::pg_catalog.text::pg_catalog.int8))
    FROM stage.relations_behind(p_relation) b(oid) CROSS JOIN LATERAL (
      SELECT c.xmin FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) b.oid
      UNION ALL SELECT n.xmin FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace WHERE c.oid OPERATOR(pg_catalog.=) b.oid
      UNION ALL SELECT a.xmin FROM pg_catalog.pg_attribute a WHERE a.attrelid OPERATOR(pg_catalog.=) b.oid AND a.attnum OPERATOR(pg_catalog.>) 0
      UNION ALL SELECT h.xmin FROM pg_catalog.pg_inherits h WHERE h.inhparent OPERATOR(pg_catalog.=) b.oid
    ) e(version)));
END $$;
