-- Returns which columns a query may use in addition when it groups by a table's primary key: {"key": [name, ...], "others": [name, ...],
-- "rows": boolean}. The others are the columns that a query can group by; rows is true where it can group by all of them. NULL if there is
-- no such key.
CREATE OR REPLACE FUNCTION stage.dependent_columns(p_relation oid) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (
    SELECT jsonb_build_object(
        'key', (SELECT jsonb_agg(a.attname) FROM pg_attribute a WHERE a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)),
        'others', coalesce(jsonb_agg(c.attname ORDER BY c.attnum) FILTER (WHERE c.can_be_grouped), '[]'),
        'rows', coalesce(bool_and(c.can_be_grouped), true))
    FROM pg_constraint k
    LEFT JOIN LATERAL (
      SELECT a.attname, a.attnum, t.can_be_grouped
      FROM pg_attribute a JOIN (
        SELECT u.atttypid, stage.has_equality(u.atttypid) AS can_be_grouped
        FROM (SELECT DISTINCT y.atttypid FROM pg_attribute y WHERE y.attrelid = p_relation AND y.attnum > 0 AND NOT y.attisdropped) u) t ON t.atttypid = a.atttypid
      WHERE a.attrelid = k.conrelid AND a.attnum > 0 AND NOT a.attisdropped AND NOT a.attnum = ANY (k.conkey)) c ON true
    WHERE k.conrelid = p_relation AND k.contype = 'p' AND NOT k.condeferrable
    GROUP BY k.oid
  );
END $$;
