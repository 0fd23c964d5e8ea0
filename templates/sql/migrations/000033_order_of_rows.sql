-- The indexes of images serve only queries for an image. A query for all staged rows of a table without a key then shows them in the order
-- of the primary key, in which they were staged.
DO $$
DECLARE
  v_index record;
BEGIN
  FOR v_index IN
    SELECT x.relname AS name, s.oid::regclass AS shadow, a.attname AS image,
      coalesce(pg_get_expr(i.indpred, i.indrelid) || ' AND ', '') || quote_ident(a.attname) || ' IS NOT NULL' AS condition
    FROM pg_class s JOIN pg_index i ON i.indrelid = s.oid JOIN pg_class x ON x.oid = i.indexrelid
    JOIN pg_attribute a ON a.attrelid = s.oid AND a.attnum = i.indkey[1]
    WHERE s.relnamespace = to_regnamespace('stage_data') AND i.indnatts = 2 AND NOT i.indisunique
      AND a.attname IN ('_stage_image', '_stage_old_1') AND coalesce(pg_get_expr(i.indpred, i.indrelid), '') NOT LIKE '%IS NOT NULL%'
      AND EXISTS (SELECT FROM pg_attribute k WHERE k.attrelid = s.oid AND k.attname = '_stage_image' AND NOT k.attisdropped)
  LOOP
    EXECUTE format('DROP INDEX stage_data.%I', v_index.name);
    EXECUTE format('CREATE INDEX %I ON %s (_stage_session, %I) WHERE %s', v_index.name, v_index.shadow, v_index.image, v_index.condition);
  END LOOP;
END $$;
