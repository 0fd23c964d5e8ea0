/** Schema of a session's brief. */
import { z } from 'zod';
import { briefShape, cardHeadShape, tableBriefShape } from '../../model/brief.ts';
import { schemaOf } from './noun-schema.ts';
import { pageMembers, session, sessionIds } from './outputs.ts';

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
      'written',
    ]),
  })
  .loose()
  .meta({
    id: 'Fact',
    description:
      'What changed in a column: constant (value), rule (factor, addend, explained, of, others, keys), values (pairs), range (up, down, lowest, median, highest in percent), changed (values); of numbers, times and texts also bins, the counts before and after in twelve equal parts of the range from low to high, with the unit time (seconds since 1970) or length (characters) where they are no numbers; of a table: duplicates (rows, columns), new_values (column, values, rows), carried (foreign_key, deletes, updates), written (trigger, table, inserts, updates, deletes)',
  });

const tables = z.array(schemaOf(tableBriefShape).extend({ facts: z.array(fact) }));

export const card = z
  .object({
    ...sessionIds,
    ...schemaOf(cardHeadShape).shape,
    ...schemaOf(briefShape).shape,
    tables,
  })
  .meta({ id: 'Card' });

const listedSession = session.extend({
  card: card.nullable().optional().meta({
    description:
      'With card=true: the card of its present proposal, counts only for callers who may not see every table; null where none is stored (yet)',
  }),
});

export const sessionList = z.object({
  sessions: z.array(listedSession),
  ...pageMembers,
});
