-- Returns the key that identifies a row: the primary key, else the first immediate, unconditional unique index over NOT NULL columns. A key
-- WITHOUT OVERLAPS ends with a range: rows whose ranges overlap collide, but only a row with an equal range is the same row.
CREATE OR REPLACE FUNCTION stage.table_key(p_relation oid) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (
    SELECT jsonb_build_object(
        'keyIndex', min(ic.relname),
        'key', coalesce(jsonb_agg(
          jsonb_build_object('name', a.attname, 'equals', CASE
            WHEN x.indisexclusion AND k.ord = x.indnkeyatts THEN 'OPERATOR(pg_catalog.=)'
            ELSE stage.index_operator(x.indexrelid, k.ord::int) END) ORDER BY k.ord), '[]'))
    FROM (
      SELECT x.* FROM pg_index x
      WHERE x.indrelid = p_relation AND x.indisunique AND x.indimmediate AND x.indisvalid
        AND x.indpred IS NULL AND x.indexprs IS NULL
        AND NOT EXISTS (
          SELECT 1 FROM unnest(x.indkey) WITH ORDINALITY u(attnum, ord)
          JOIN pg_attribute pa ON pa.attrelid = p_relation AND pa.attnum = u.attnum
          WHERE NOT pa.attnotnull AND u.ord <= x.indnkeyatts)
      ORDER BY x.indisprimary DESC, x.indexrelid LIMIT 1) x
    CROSS JOIN LATERAL unnest(x.indkey) WITH ORDINALITY k(attnum, ord)
    JOIN pg_attribute a ON a.attrelid = p_relation AND a.attnum = k.attnum
    JOIN pg_class ic ON ic.oid = x.indexrelid
    WHERE k.ord <= x.indnkeyatts
  );
END $$;
