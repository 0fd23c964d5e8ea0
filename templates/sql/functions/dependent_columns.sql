-- What GROUP BY of a table's primary key lets a query use besides: {"key": [name, ...], "others": [name, ...], "rows": boolean},
-- the others being those columns by which one can group; so it is with whole rows where one can by all of them. NULL where
-- there is no such key.
CREATE OR REPLACE FUNCTION stage.dependent_columns(p_relation oid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
  SELECT jsonb_build_object(
      'key', (SELECT jsonb_agg(a.attname) FROM pg_attribute a WHERE a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)),
      'others', coalesce(jsonb_agg(c.attname ORDER BY c.attnum) FILTER (WHERE c.can_be_grouped), '[]'),
      'rows', coalesce(bool_and(c.can_be_grouped), true))
  FROM pg_constraint k
  LEFT JOIN LATERAL (
    -- of composites it depends on their attributes
    SELECT a.attname, a.attnum, e.typtype <> 'c' AND (e.typtype IN ('e', 'r', 'm') OR EXISTS (
        SELECT FROM pg_opclass o JOIN pg_am m ON m.oid = o.opcmethod
        WHERE o.opcdefault AND m.amname IN ('btree', 'hash')
          AND (o.opcintype = e.oid OR EXISTS (
            SELECT FROM pg_cast c
            WHERE c.castsource = e.oid AND c.casttarget = o.opcintype AND c.castmethod = 'b' AND c.castcontext = 'i')))) AS can_be_grouped
    FROM pg_attribute a
    CROSS JOIN LATERAL stage.base_type(a.atttypid, -1) b
    JOIN pg_type t ON t.oid = b.type
    CROSS JOIN LATERAL stage.base_type(CASE WHEN t.typcategory = 'A' THEN t.typelem ELSE t.oid END, -1) s
    JOIN pg_type e ON e.oid = s.type
    WHERE a.attrelid = k.conrelid AND a.attnum > 0 AND NOT a.attisdropped AND NOT a.attnum = ANY (k.conkey)) c ON true
  WHERE k.conrelid = p_relation AND k.contype = 'p' AND NOT k.condeferrable
  GROUP BY k.oid
$$;
