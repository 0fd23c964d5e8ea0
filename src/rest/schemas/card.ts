/** Schema of a session's brief. */
import { z } from 'zod';
import { flagCodes } from '../../model/brief.ts';
import { count, hidden, sessionIds } from './outputs.ts';

const fact = z
  .object({
    kind: z.enum([
      'constant',
      'rule',
      'values',
      'range',
      'changed',
      'duplicates',
      'new_values',
      'carried',
    ]),
  })
  .loose()
  .meta({
    id: 'Fact',
    description:
      'What changed in a column: constant (value), rule (factor, addend, explained, of, others, keys), values (pairs), range (up, down, lowest, median, highest in percent), changed (values); of numbers also bins, the counts before and after in twelve equal parts of the range from low to high; of a table: duplicates (rows, columns), new_values (column, values, rows), carried (foreign_key, deletes, updates)',
  });

const flag = z
  .object({
    code: z.enum(flagCodes),
    table: z.string().nullable(),
    column: z.string().nullable(),
    count: count.meta({
      description: 'Rows; sessions of overlap, triggers of triggers, percent of share_of_table',
    }),
  })
  .meta({ id: 'Flag' });

export const card = z.object({
  ...sessionIds,
  revision: z.string(),
  tables: z.array(
    z.object({
      table: z.string(),
      inserts: count,
      updates: count,
      deletes: count,
      further_changes: count,
      sampled: count.nullable().meta({
        description: 'Number of changes that the facts are about, where these are not all',
      }),
      facts: z.array(fact),
      hidden,
    }),
  ),
  flags: z.array(flag),
  overlaps: z.array(
    z.object({
      session_id: z
        .string()
        .nullable()
        .meta({ description: 'Null for an agent, which is told of no other sessions' }),
      table: z.string(),
      rows: count,
    }),
  ),
});
