-- Returns a stamp of the definitions of a table and all that inherit from it, as stage.table_stamp does for one table.
CREATE OR REPLACE FUNCTION stage.tree_stamp(p_relation oid) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT md5(string_agg(concat_ws(' ', t.relation, stage.table_stamp(t.relation)), ',' ORDER BY t.relation))
  FROM stage.truncated_tables(p_relation, false) AS t(relation)
$$;
