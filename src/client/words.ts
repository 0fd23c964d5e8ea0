/** What counts and conflicts are called, wherever people read of them. */
import type { ChangeCounts, Conflict } from '../model/change.ts';

/** `3 inserted, 1 updated, 0 deleted`. */
export function countsInWords(counts: Omit<ChangeCounts, 'table'>): string {
  return `${counts.inserts} inserted, ${counts.updates} updated, ${counts.deletes} deleted`;
}

/** Counts of several tables, or of several parts of one, taken together. */
export function sumOf(counts: readonly Omit<ChangeCounts, 'table'>[]): Omit<ChangeCounts, 'table'> {
  const add = (field: 'inserts' | 'updates' | 'deletes') =>
    counts.reduce((sum, entry) => sum + entry[field], 0);
  return { inserts: add('inserts'), updates: add('updates'), deletes: add('deletes') };
}

export const conflictWords: Readonly<Record<Conflict['kind'], string>> = {
  changed: 'the row has changed in production',
  gone: 'the row is gone from production',
  key_exists: 'the key exists in production by now',
  cascade: 'production rows that nobody reviewed would change with it',
  schema: 'the table has changed',
};
