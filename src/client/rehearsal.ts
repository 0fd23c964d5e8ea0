/** Reads the response to a rehearsal. */
import type { Change } from '../model/change.ts';
import type { JsonText } from '../model/json.ts';
import { rehearsalShape } from '../model/rehearsal.ts';
import type { Noun } from '../model/shape.ts';
import { readerOf } from './read-noun.ts';

type Sent = Noun<typeof rehearsalShape>;

export type RehearsalReport = Omit<Sent, 'sideEffects'> & {
  readonly sideEffects:
    | readonly (Omit<NonNullable<Sent['sideEffects']>[number], 'changes'> & {
        readonly changes: readonly Change[];
      })[]
    | null;
};

const readSent = readerOf(rehearsalShape);

export function readRehearsal(json: JsonText): RehearsalReport {
  const { sideEffects, ...sent } = readSent(json);
  const effects = sideEffects?.map(({ table, changes, ...each }) => ({
    ...each,
    table,
    changes: changes.map((change) => ({ table, ...change })),
  }));
  return { ...sent, sideEffects: effects ?? null };
}
