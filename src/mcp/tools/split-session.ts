/** `split_session`: moves staged rows to a session of their own, which is reviewed apart from the rest. */
import { z } from 'zod';
import { unstagedRowShape } from '../../model/edits.ts';
import { JsonText, stringifyJson } from '../../model/json.ts';
import { writerOf } from '../../model/shape.ts';
import { fitting } from '../data.ts';
import { changing, defineTool } from '../tool.ts';
import { rowKey, tableName } from './inputs.ts';

export const splitSession = defineTool({
  name: 'split_session',
  title: 'Split the session',
  description:
    'Moves chosen rows of an active session to a new session, so that a person can decide on them apart from the rest. Rows without which either part could not be applied are named, or moved along with with_ties.',
  input: {
    rows: z
      .array(z.strictObject({ table: tableName, row_id: rowKey.optional() }))
      .min(1)
      .max(1000)
      .meta({
        description: 'The rows to move, as show_diff names them; without row_id all of the table',
        examples: [[{ table: 'products', row_id: 7 }]],
      }),
    with_ties: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether rows that are tied to these go along', examples: [true] }),
  },
  takesSession: true,
  operations: ['splitSession'],
  annotations: changing,
  work: async ({ rows, with_ties: withTies }, { api, sessionId }) => {
    const chosen = rows.map(({ table, row_id: key }) => ({
      table,
      rowId: key === undefined ? undefined : new JsonText(stringifyJson(key as never)),
    }));
    const { value } = await api.split(sessionId, { rows: chosen, withTies });
    const [tied, truncated] = fitting(value.tied.map(rowBody));
    return {
      summary: 'The chosen rows are in a new session, and no longer in this one.',
      next: 'Read both with show_diff, and propose each on its own.',
      facts: { status: 'active', new_session_id: value.session.id },
      data: {
        moved: value.partTables.map(({ table, rows: count }) => ({ table, rows: count })),
        moved_along: tied,
      },
      truncated,
    };
  },
});

const rowBody = writerOf(unstagedRowShape);
