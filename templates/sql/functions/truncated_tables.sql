-- Returns a table with the tables that inherit from it, including partitions; with p_only, the table alone.
CREATE OR REPLACE FUNCTION stage.truncated_tables(p_relation oid, p_only boolean) RETURNS SETOF oid
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  WITH RECURSIVE tree (relation) AS (
    SELECT p_relation
    UNION
    SELECT i.inhrelid FROM tree t JOIN pg_inherits i ON i.inhparent = t.relation WHERE NOT p_only
  )
  SELECT relation FROM tree ORDER BY relation <> p_relation, relation
$$;
