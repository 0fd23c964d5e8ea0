-- Returns whether a query can group by values of a type: the type has an equality operator, and so has everything that it consists of.
CREATE OR REPLACE FUNCTION stage.has_equality(p_type oid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  WITH RECURSIVE part (type) AS (
    SELECT (stage.base_type(p_type, -1)).type
    UNION
    SELECT (stage.base_type(e.type, -1)).type
    FROM part p JOIN pg_type t ON t.oid = p.type
    CROSS JOIN LATERAL (
      SELECT t.typelem AS type WHERE t.typcategory = 'A'
      UNION ALL
      SELECT a.atttypid FROM pg_attribute a
      WHERE t.typtype = 'c' AND a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped) e
  )
  SELECT NOT EXISTS (
    SELECT FROM part p JOIN pg_type t ON t.oid = p.type
    WHERE t.typcategory <> 'A' AND t.typtype NOT IN ('c', 'e', 'r', 'm') AND NOT EXISTS (
      SELECT FROM pg_opclass o JOIN pg_am m ON m.oid = o.opcmethod
      WHERE o.opcdefault AND m.amname IN ('btree', 'hash')
        AND (o.opcintype = t.oid OR EXISTS (
          SELECT FROM pg_cast c
          WHERE c.castsource = t.oid AND c.casttarget = o.opcintype AND c.castmethod = 'b' AND c.castcontext = 'i'))))
$$;
