/** What counts and conflicts are called, wherever people read of them. */
import type { Conflict, ConflictKind, StepCounts, Trigger } from '../model/change.ts';
import { nameCell } from './cell.ts';
import { sanitize } from './sanitize.ts';

/** `3 inserted, 1 updated, 0 deleted`, and what approval replays beside these; `2 further changes, net 0` where nothing else is left. */
export function countsInWords({ inserts, updates, deletes, furtherChanges }: StepCounts): string {
  const net = `${inserts} inserted, ${updates} updated, ${deletes} deleted`;
  if (furtherChanges === 0) return net;
  const further = furtherInWords(furtherChanges);
  return inserts + updates + deletes === 0 ? `${further}, net 0` : `${net}, ${further}`;
}

/** `at approval runs production's trigger touched (BEFORE UPDATE)`; null where there is none. */
export function triggersInWords(triggers: readonly Trigger[]): string | null {
  if (triggers.length === 0) return null;
  const list = triggers.map(
    ({ name, timing, events }) => `${nameCell(name)} (${timing} ${events.join(' OR ')})`,
  );
  const [verb, noun] = triggers.length === 1 ? ['runs', 'trigger'] : ['run', 'triggers'];
  return `at approval ${verb} production's ${noun} ${list.join(', ')}`;
}

/** What stands in the place of a diff that has nothing. */
export const nothingInWords = (isRejected: boolean) =>
  isRejected ? 'Rejected: its changes were discarded.' : 'No changes.';

/** `1 further change`. */
export function furtherInWords(count: number): string {
  return `${count} further change${count === 1 ? '' : 's'}`;
}

/** What further changes are, for those who meet the word. */
export const furtherExplained =
  "Further changes are those of rows that change again, or end as they began: approval replays them too, and production's triggers run for them. `stage diff --steps` shows all steps.";

/** What stands in the place of something that is not told. */
export const hiddenInWords = "hidden: your token's database roles may not read this table";

/** What stands in the place of a table's changes where they are not told. */
export function changesHidden({ inserts, updates, deletes, furtherChanges }: StepCounts): string {
  const count = inserts + updates + deletes + furtherChanges;
  return `${count} ${count === 1 ? 'change' : 'changes'} ${hiddenInWords}`;
}

/** Says of a conflict what it is. */
export function conflictInWords({ kind, reason, ignored }: Conflict): string {
  if (ignored) return ignoredInWords;
  return reason === undefined ? conflictWords[kind] : sanitize(reason);
}

/** What stands beside a change of a column that the configuration has not count. */
export const ignoredInWords = 'ignored: its column does not count';

const conflictWords: Readonly<Record<ConflictKind, string>> = {
  changed: 'the row has changed in production',
  gone: 'the row is gone from production',
  key_exists: 'the key exists in production by now',
  cascade: 'production rows that nobody reviewed would change with it',
  schema: 'the table has changed',
};
