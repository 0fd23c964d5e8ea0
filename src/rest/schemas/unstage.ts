/** Schemas of the request that unstages rows, and of its response. */
import { z } from 'zod';
import { operations } from '../../model/change.ts';
import { faultOfKey, jsonObject, shortText } from './inputs.ts';
import { count, hidden, rowId, session } from './outputs.ts';

/** Nobody lists more rows by hand. All rows of a table can be selected by the table. */
export const mostRows = 10_000;

/** A row's key as diffs show it. Numbers beyond JavaScript's precision are texts there. */
export const key = z.union([z.int(), z.string(), jsonObject]).superRefine((value, context) => {
  const fault = faultOfKey(JSON.stringify(value));
  if (fault !== null) context.addIssue(fault);
});

/** Staged rows, or all rows of tables. */
export const choices = z
  .array(
    z.strictObject({
      table: shortText,
      row_id: key.nullish().meta({ description: 'Left out for all rows of the table' }),
    }),
  )
  .min(1)
  .max(mostRows);

export const unstageBody = z.strictObject({
  rows: choices,
  with_dependents: z.boolean().nullish().meta({
    description: 'Takes out, too, what would not hold without the rows',
  }),
});

export const unstagedSession = session.extend({
  unstaged: z
    .array(
      z.object({
        table: z.string(),
        row_id: rowId.nullable().meta({ description: 'null where it is hidden' }),
        type: z
          .enum(operations)
          .nullable()
          .meta({ description: 'What was staged of it in the end; null where that was nothing' }),
        dependent: z.boolean().meta({ description: 'It was not asked for by itself' }),
        hidden,
      }),
    )
    .meta({ description: 'The first 1000 rows that were taken out; none of tables without a key' }),
  unstaged_tables: z.array(z.object({ table: z.string(), rows: count })),
  tried: z.boolean().meta({
    description:
      'Whether production was had apply what is left, and it was rolled back. It is where the caller may rehearse.',
  }),
});
