-- Returns whether all triggers of a table fire while its rows are staged. Of a table with children it is not known. The triggers of partitions
-- that are copies of the table's are reported with those.
CREATE OR REPLACE FUNCTION stage.fires_all(p_relation oid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT count(t.oid) = 0 OR count(t.oid) = (
    SELECT count(*) FROM stage.overlay o CROSS JOIN LATERAL jsonb_array_elements(o.triggers) r(report)
    WHERE o.relation = p_relation AND r.report ->> 'obstacle' IS NULL)
    AND NOT (SELECT c.relhassubclass AND c.relkind <> 'p' FROM pg_class c WHERE c.oid = p_relation)
  FROM pg_trigger t
  WHERE NOT t.tgisinternal AND t.tgenabled <> 'D' AND t.tgparentid = 0
    AND (t.tgrelid = p_relation OR t.tgrelid IN (SELECT i.inhrelid FROM pg_inherits i WHERE i.inhparent = p_relation)
      OR t.tgrelid IN (SELECT p.relid FROM pg_partition_tree(p_relation) p))
$$;
REVOKE ALL ON FUNCTION stage.fires_all(oid) FROM PUBLIC;
