/** Schemas of the request that splits a session, of its response, and of what other requests say about parts. */
import { z } from 'zod';
import { operations } from '../../model/change.ts';
import { count, hidden, rowId, session } from './outputs.ts';
import { choices } from './unstage.ts';

export const withTies = z.boolean().nullish().meta({
  description: 'Includes the rows without which the part, or the rest, could not be applied',
});

export const splitBody = z.strictObject({ only: choices, with_ties: withTies });

export const only = choices.nullish().meta({
  description: 'The rows to apply; all others go to a new session. Left out for all rows',
});

export const splitSession = session.extend({
  part_tables: z
    .array(z.object({ table: z.string(), rows: count }))
    .meta({ description: 'How many rows the new session got' }),
  tied: z
    .array(
      z.object({
        table: z.string(),
        row_id: rowId.nullable().meta({ description: 'null where it is hidden' }),
        type: z.enum(operations).nullable(),
        hidden,
      }),
    )
    .meta({ description: 'The first 1000 rows that were included without being chosen' }),
});
