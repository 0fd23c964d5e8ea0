/** Schema of the response to a rehearsal. */
import { z } from 'zod';
import { differences } from './differences.ts';
import { change, conflict, count, hidden, ignored, row, rowId, sessionIds } from './outputs.ts';

const refusal = z
  .object({
    sqlstate: z.string(),
    message: z.string().nullable().meta({ description: 'null where it is hidden' }),
    detail: z.string().nullable(),
    table: z.string().nullable(),
    constraint: z.string().nullable(),
    row: rowId.nullable().meta({ description: 'The row that was refused, where it is one' }),
  })
  .meta({ description: 'What production refuses; 57014 where it was not done in time' });

const landing = z.object({
  table: z.string(),
  inserts: count,
  updates: count,
  deletes: count,
  hidden,
});

const differing = z.object({
  table: z.string(),
  count,
  rows: z
    .array(z.object({ row_id: rowId, staged: row.nullable(), lands: row.nullable() }))
    .meta({ description: 'The first 100: as they were staged, and as they would become' }),
  hidden,
});

const effects = z.object({
  table: z.string(),
  inserts: count.nullable(),
  updates: count.nullable(),
  deletes: count.nullable(),
  scanned: z.boolean().meta({
    description:
      'false where the table is too large to be looked through, or was emptied: operations were counted then, null where nobody counts them',
  }),
  changes: z
    .array(change.extend({ row_id: rowId.nullable() }))
    .meta({ description: 'The first 100; row_id is null in a table without a key' }),
  hidden,
});

export const rehearsal = z
  .object({
    ...sessionIds,
    ok: z.boolean().meta({
      description: 'Approval would find no conflict, no refusal, and no difference that stops it',
    }),
    digest: z.string().meta({ description: 'Of what was rehearsed; approve can demand it' }),
    conflicts: z.array(conflict),
    ignored,
    failure: refusal.nullable(),
    would_land: z
      .array(landing)
      .nullable()
      .meta({ description: "Net changes of the session's own; null where it is not ok" }),
    differs: z
      .array(differing)
      .nullable()
      .meta({ description: "The session's own rows that would become other than staged" }),
    differences: differences.nullable(),
    side_effects: z
      .array(effects)
      .nullable()
      .meta({ description: 'Other rows that would change, by triggers of production' }),
    warnings: z
      .array(z.string())
      .meta({ description: 'What no rollback has taken back, and what could not be looked at' }),
  })
  .meta({ id: 'Rehearsal' });
