-- Raises the error that a table cannot be truncated without one that refers to it, and names the pair that PostgreSQL names.
CREATE OR REPLACE FUNCTION stage.raise_referred(p_relations oid[]) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_referred text;
  v_referring text;
BEGIN
  SELECT t.relname, c.relname INTO v_referred, v_referring
  FROM unnest(p_relations) WITH ORDINALITY AS u (relation, number)
  CROSS JOIN LATERAL stage.referring_tables(ARRAY[u.relation]) AS r
  JOIN pg_class t ON t.oid = u.relation
  JOIN pg_class c ON c.oid = r
  WHERE r <> ALL (p_relations)
  ORDER BY u.number, r LIMIT 1;
  RAISE EXCEPTION 'cannot truncate a table referenced in a foreign key constraint'
    USING ERRCODE = 'feature_not_supported',
      DETAIL = format('Table "%s" references "%s".', v_referring, v_referred),
      HINT = format('Truncate table "%s" at the same time, or use TRUNCATE ... CASCADE.', v_referring);
END $$;
