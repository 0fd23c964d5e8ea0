-- Returns the tables outside of the given ones that refer to one of them, ordered by OID: those that TRUNCATE has to truncate, too. A table
-- that refers to a partitioned table refers to each of its partitions.
CREATE OR REPLACE FUNCTION stage.referring_tables(p_relations oid[]) RETURNS SETOF oid
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  WITH RECURSIVE referred (relation) AS (
    SELECT unnest(p_relations)
    UNION
    SELECT whole.confrelid
    FROM referred r
    JOIN pg_constraint part ON part.contype = 'f' AND part.confrelid = r.relation
    JOIN pg_constraint whole ON whole.oid = part.conparentid
  )
  SELECT DISTINCT c.conrelid
  FROM pg_constraint c JOIN referred r ON r.relation = c.confrelid
  WHERE c.contype = 'f' AND c.conrelid <> ALL (p_relations)
  ORDER BY c.conrelid
$$;
