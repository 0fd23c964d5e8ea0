/** Schema of the differences between staged rows and those that production's triggers made of them. */
import { z } from 'zod';
import { count, rowId, session } from './outputs.ts';
import { approvals } from './policy.ts';

export const differences = z
  .object({
    count: count.meta({ description: 'Values that landed other than staged' }),
    unexpected: count.meta({ description: 'Those that are not marked as expected' }),
    rows: z
      .array(
        z.object({
          table: z.string(),
          row_id: rowId,
          field: z.string(),
          staged: z.unknown(),
          landed: z.unknown(),
          expected: z.enum(['time', 'random']).nullable().meta({
            description: "What the text of a trigger sets the column to; null where it doesn't",
          }),
        }),
      )
      .meta({ description: 'The first 100; of each table, unexpected ones first' }),
  })
  .meta({ description: "Values that production's triggers set other than while staging" });

export const approvedSession = session.extend({ differences: differences.optional() });

/** A session with the votes, where the policy demands some. */
export const votedSession = session.extend({ approvals: approvals.optional() });
