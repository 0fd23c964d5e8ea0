/** `show_diff`: shows what the session changes, net, row by row. */
import { z } from 'zod';
import type { ApiClient } from '../../client/api-client.ts';
import { isLeftOut } from '../../client/brief.ts';
import { briefLines } from '../../client/brief-words.ts';
import { StageError } from '../../errors.ts';
import type { NumberedChange, Outline } from '../../model/change.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Place } from '../changes.ts';
import { changeBody, countsBody, readChanges } from '../changes.ts';
import { fitting } from '../data.ts';
import { defineTool, reading } from '../tool.ts';
import { tableName } from './inputs.ts';

export const showDiff = defineTool({
  name: 'show_diff',
  title: 'Show the changes',
  description:
    'Shows what the session changes: counts of each table, and rows: of an update the changed columns before and after, of an insert or delete the whole row. Tables that your login may not read are counted as hidden. The digest names exactly this diff. data.brief says what the changes mean; lines with ! are unusual.',
  input: {
    table: tableName.optional(),
    cursor: z
      .string()
      .max(300)
      .regex(/^\d{1,18}@./su, 'data.continue of an earlier call')
      .optional()
      .meta({ description: 'Where to read on: data.continue', examples: ['50@products'] }),
    limit: z
      .int()
      .min(1)
      .max(200)
      .default(50)
      .meta({ description: 'How many changes to give at most', examples: [50] }),
  },
  takesSession: true,
  operations: ['listChanges', 'getDiffOutline', 'getDiff'],
  annotations: reading,
  work: async ({ table, cursor, limit }, { api, sessionId }) => {
    const { value: outline } = await api.readOutline(sessionId);
    const digest = await api.readDigest(sessionId);
    const { status } = (await api.getSession(sessionId)).value;
    const from = cursor === undefined ? null : placeOf(cursor);
    const [found, rest] = await readChanges(api, sessionId, { outline, table, from, limit });
    const [changes, isCut] = fitting(found.map((change) => bodyThatFits(change, outline)));
    const last = isCut ? found[changes.length - 1] : undefined;
    const next = last ?? rest;
    return {
      summary: `${changes.length} of the session's changes.`,
      next:
        next === null
          ? 'Correct what is wrong with stage_write; then check_conflicts and propose.'
          : 'Read on with data.continue as cursor.',
      facts: { status, digest },
      data: {
        ...(cursor === undefined ? { brief: await briefOf(api, sessionId) } : {}),
        tables: outline.tables.map(countsBody),
        changes,
        ...(next ? { continue: `${next.number}@${next.table}` } : {}),
      },
      truncated: next !== null,
    };
  },
});

const mostLines = 40;

/** Returns the first lines of the brief; none if the diff is shown without it. */
export async function briefOf(api: ApiClient, id: string): Promise<string[]> {
  try {
    return briefLines((await api.readBrief(id)).value).slice(0, mostLines);
  } catch (error) {
    if (error instanceof StageError && isLeftOut(error.code)) return [];
    throw error;
  }
}

function placeOf(cursor: string): Place {
  const at = cursor.indexOf('@');
  return { number: cursor.slice(0, at), table: cursor.slice(at + 1) };
}

/** Returns a change, without its values if it does not fit into a result. The agent can query them. */
function bodyThatFits(change: NumberedChange, outline: Outline): JsonObject {
  const { table, type, rowId } = change;
  const named = { table, type, too_large: true };
  const bodies: JsonObject[] = [changeBody(change, outline), { ...named, row_id: rowId }];
  return bodies.find((body) => !fitting([body])[1]) ?? named;
}
