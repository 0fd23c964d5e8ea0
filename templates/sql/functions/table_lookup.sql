-- Returns the NOT NULL columns that lead an index, with their equality operators: by them a whole row of a table without a key is looked
-- up.
CREATE OR REPLACE FUNCTION stage.table_lookup(p_relation oid) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (
    SELECT coalesce(jsonb_agg(jsonb_build_object('name', l.attname, 'equals', l.equals) ORDER BY l.attname), '[]')
    FROM (
      SELECT DISTINCT ON (a.attname) a.attname, stage.index_operator(x.indexrelid, 1) AS equals
      FROM pg_index x JOIN pg_class ic ON ic.oid = x.indexrelid JOIN pg_am m ON m.oid = ic.relam
      JOIN pg_attribute a ON a.attrelid = p_relation AND a.attnum = x.indkey[0]
      WHERE x.indrelid = p_relation AND m.amname = 'btree' AND x.indisvalid AND x.indpred IS NULL
        AND a.attnum > 0 AND a.attnotnull AND a.attgenerated = ''
      ORDER BY a.attname, x.indexrelid) l
  );
END $$;
