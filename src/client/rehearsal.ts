/** Reads the response to a rehearsal. */
import type { Change } from '../model/change.ts';
import type { Conflict } from '../model/conflict.ts';
import type { JsonText } from '../model/json.ts';
import { rehearsalShape } from '../model/rehearsal.ts';
import type { Noun } from '../model/shape.ts';
import { readerOf } from './read-noun.ts';

type Sent = Noun<typeof rehearsalShape>;

export type RehearsalReport = Omit<Sent, 'ignored' | 'sideEffects'> & {
  readonly ignored: readonly Conflict[];
  readonly sideEffects:
    | readonly (Omit<NonNullable<Sent['sideEffects']>[number], 'changes'> & {
        readonly changes: readonly Change[];
      })[]
    | null;
};

const readSent = readerOf(rehearsalShape);

export function readRehearsal(json: JsonText): RehearsalReport {
  const { sideEffects, ignored: found, ...sent } = readSent(json);
  const ignored = found.map((conflict) => ({ ...conflict, ignored: true as const }));
  const effects = sideEffects?.map(({ table, changes, ...each }) => ({
    ...each,
    table,
    changes: changes.map((change) => ({ table, ...change })),
  }));
  return { ...sent, ignored, sideEffects: effects ?? null };
}
