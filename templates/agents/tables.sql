-- Lists tables and views that the role may read at least in part, a page of them, without the service's own.
-- $1 pattern of the name, $2 schema or null, $3 whether with columns and keys, $4 how many to skip
SELECT n.nspname AS schema, c.relname AS name, c.relkind IN ('v', 'm') AS is_view, count(*) OVER () AS count,
  CASE WHEN $3 THEN json_build_object(
    'table', CASE WHEN n.nspname = 'public' THEN c.relname ELSE n.nspname || '.' || c.relname END,
    'kind', CASE c.relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'partitioned table' WHEN 'f' THEN 'foreign table' ELSE 'view' END,
    'columns', (
      SELECT json_agg(concat(quote_ident(a.attname), ' ', format_type(a.atttypid, a.atttypmod), CASE WHEN a.attnotnull THEN ' NOT NULL' END)
        ORDER BY a.attnum)
      FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    ),
    'keys', (
      SELECT json_agg(pg_get_constraintdef(k.oid) ORDER BY k.contype DESC, k.conname)
      FROM pg_catalog.pg_constraint k WHERE k.conrelid = c.oid AND k.contype IN ('p', 'u', 'f')
    )
  ) END AS entry
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
  AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  -- by name and owner, as stage.is_internal_schema does, which not every role may call
  AND NOT (n.nspname ~ '{{internal_schemas}}' AND EXISTS (
    SELECT FROM pg_catalog.pg_namespace s WHERE s.nspname = 'stage' AND pg_has_role(n.nspowner, s.nspowner, 'MEMBER')))
  AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
  AND c.relname ILIKE $1 AND ($2::text IS NULL OR n.nspname = $2)
ORDER BY n.nspname <> 'public', n.nspname, c.relname
OFFSET $4
