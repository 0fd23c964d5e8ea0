/** `list_tables`: what there is to read and to write, as the agent's own database role sees it. */
import { z } from 'zod';
import type { JsonValue } from '../../model/json.ts';
import { JsonText } from '../../model/json.ts';
import { fitting } from '../data.ts';
import { defineTool, reading } from '../tool.ts';

/** Tables and views with their columns and keys; only what the role may read in part at least. */
const selectTables = `
SELECT json_build_object(
  'table', CASE WHEN n.nspname = 'public' THEN c.relname ELSE n.nspname || '.' || c.relname END,
  'kind', CASE c.relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'partitioned table' WHEN 'f' THEN 'foreign table' ELSE 'view' END,
  'columns', (
    SELECT json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'not_null', a.attnotnull)
      ORDER BY a.attnum)
    FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  ),
  'keys', (
    SELECT json_agg(pg_get_constraintdef(k.oid) ORDER BY k.contype DESC, k.conname)
    FROM pg_catalog.pg_constraint k WHERE k.conrelid = c.oid AND k.contype IN ('p', 'u', 'f')
  )
) AS entry
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
  AND n.nspname !~ '^(pg_|stage_overlay_)' AND n.nspname NOT IN ('information_schema', 'stage', 'stage_data')
  AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
  AND c.relname ILIKE $1
ORDER BY n.nspname <> 'public', n.nspname, c.relname`;

export const listTables = defineTool({
  name: 'list_tables',
  title: 'List tables',
  description:
    'Lists the tables and views that your login may read, with their columns, types and keys.',
  input: {
    like: z
      .string()
      .max(200)
      .optional()
      .describe('Only tables whose name is like this; % stands for anything'),
  },
  takesSession: true,
  annotations: reading,
  work: async ({ like = '%' }, { run, api, sessionId, signal }) => {
    const statement = { sql: selectTables, params: [like], maxRows: 1000, readOnly: true };
    const result = await run({ sessionId, signal, ...statement });
    const { status } = (await api.getSession(sessionId)).value;
    const entries = result.rows.map(([entry]) => parsed(entry));
    const [tables, isCut] = fitting(entries);
    return {
      says: `Your login may read ${entries.length} tables and views.`,
      next: 'Look at rows with query, change them with stage_write.',
      facts: { status, count: entries.length },
      data: { tables },
      truncated: isCut || result.truncated,
    };
  },
});

/** A description that was cut for its length is no JSON any more, and stays text. */
function parsed(entry: JsonValue): JsonValue {
  const text = String(entry);
  return text.endsWith('}') ? new JsonText(text) : text;
}
