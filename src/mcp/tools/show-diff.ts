/** `show_diff`: what the session changes, net, row by row. */
import { z } from 'zod';
import { changeBody, countsBody, readChanges } from '../changes.ts';
import { fitting } from '../data.ts';
import { defineTool, reading } from '../tool.ts';

export const showDiff = defineTool({
  name: 'show_diff',
  title: 'Show the changes',
  description:
    'Shows what the session changes: counts of each table, and rows before and after. Tables that your login may not read are counted as hidden. The digest names exactly this diff.',
  input: {
    table: z.string().min(1).max(200).optional().describe('Only this table'),
    cursor: z
      .string()
      .regex(/^\d{1,18}$/)
      .optional()
      .describe('Where to read on, as an earlier call gave it; goes with table'),
    limit: z.int().min(1).max(200).default(50).describe('How many changes to give at most'),
  },
  takesSession: true,
  annotations: reading,
  work: async ({ table, cursor = '0', limit }, { api, sessionId }) => {
    const { value: outline } = await api.readOutline(sessionId);
    const digest = await api.readDigest(sessionId);
    const { status } = (await api.getSession(sessionId)).value;
    const asked = { outline, table, cursor, limit };
    const [found, rest] = await readChanges(api, sessionId, asked);
    const [changes, isCut] = fitting(found.map(changeBody));
    const last = isCut ? found[changes.length - 1] : undefined;
    const next = last ? { table: last.table, cursor: last.number } : rest;
    return {
      says: `${changes.length} of the session's changes.`,
      next:
        next === null && !isCut
          ? 'Correct what is wrong with stage_write; then check_conflicts and propose.'
          : 'Read on with the table and cursor of data.continue; a change too large to show is left out.',
      facts: { status, digest },
      data: {
        tables: outline.tables.map(countsBody),
        changes,
        ...(next ? { continue: { ...next } } : {}),
      },
      truncated: isCut || next !== null,
    };
  },
});
