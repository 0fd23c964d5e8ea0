/** `list_tables`: lists what can be read and written, as the agent's database role sees it; names first. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { internalSchemas } from '../../model/internal-schemas.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { JsonText } from '../../model/json.ts';
import { fitting } from '../data.ts';
import { defineTool, reading } from '../tool.ts';

const selectTables = readFileSync(
  new URL('../../../templates/agents/tables.sql', import.meta.url),
  'utf8',
).replace('{{internal_schemas}}', () => internalSchemas);

/** The maximum number of tables in one result. A table with its columns takes about twenty times the space of its name. */
const mostNames = 500;
const mostDescribed = 50;

export const listTables = defineTool({
  name: 'list_tables',
  title: 'List tables',
  description:
    'Lists the tables and views that your login may read: names by schema, or with columns: true also columns, types and keys. Narrow a long list by schema and like, or read on with offset.',
  input: {
    schema: z
      .string()
      .min(1)
      .max(63)
      .optional()
      .meta({ description: 'Only this schema', examples: ['public'] }),
    like: z
      .string()
      .max(200)
      .optional()
      .meta({
        description: 'Only tables whose name is like this; % stands for anything',
        examples: ['order%'],
      }),
    columns: z
      .boolean()
      .default(false)
      .meta({ description: 'Also their columns, types and keys', examples: [true] }),
    offset: z
      .int()
      .min(0)
      .max(1_000_000)
      .default(0)
      .meta({ description: 'How many to pass over, as data.continue gave it', examples: [500] }),
  },
  takesSession: true,
  operations: ['getSession'],
  annotations: reading,
  work: async ({ schema, like = '%', columns, offset }, { run, api, sessionId, signal }) => {
    const { rows } = await run({
      sessionId,
      signal,
      sql: selectTables,
      params: [like, schema ?? null, columns, offset],
      maxRows: columns ? mostDescribed : mostNames,
      readOnly: true,
    });
    const { status } = (await api.getSession(sessionId)).value;
    const count = Number(rows[0]?.[3] ?? offset);
    const [listed] = fitting(rows.map((row) => (columns ? described(row[4]) : row.slice(0, 3))));
    const upTo = offset + listed.length;
    const isCut = upTo < count;
    return {
      summary: `${listed.length} of ${count} tables and views that your login may read.`,
      next: isCut
        ? 'Narrow the list by schema or like, or read on with the offset of data.continue.'
        : nextStep(columns),
      facts: { status, count },
      data: {
        ...(columns ? { tables: listed } : { schemas: bySchema(listed as NameRow[]) }),
        ...(isCut ? { continue: { offset: upTo } } : {}),
      },
      truncated: isCut,
    };
  },
});

const nextStep = (hasColumns: boolean) =>
  hasColumns
    ? 'Read rows with query, change them with stage_write.'
    : 'Read the columns of those you need with columns: true and schema or like.';

/** Returns a description as JSON. One that was cut for its length is no longer JSON and remains text. */
function described(entry: JsonValue | undefined): JsonValue {
  const text = String(entry);
  return text.endsWith('}') ? new JsonText(text) : text;
}

type NameRow = [schema: string, name: string, isView: boolean];

function bySchema(rows: readonly NameRow[]): JsonObject[] {
  const schemas = [...new Set(rows.map(([schema]) => schema))];
  return schemas.map((schema) => {
    const names = (views: boolean) =>
      rows.filter((row) => row[0] === schema && row[2] === views).map(([, name]) => name);
    return { schema, tables: names(false), views: names(true) };
  });
}
