/** The wording of counts and conflicts, wherever people read them. */
import type { StepCounts, Trigger } from '../model/change.ts';
import type { Conflict, ConflictKind } from '../model/conflict.ts';
import { nameCell } from './cell.ts';
import { sanitize } from './sanitize.ts';

/** Formats net and further changes: `3 inserted, 1 updated, 0 deleted`; `2 further changes, net 0` if no net change remains. */
export function countsInWords({ inserts, updates, deletes, furtherChanges }: StepCounts): string {
  const net = `${inserts} inserted, ${updates} updated, ${deletes} deleted`;
  if (furtherChanges === 0) return net;
  const further = furtherInWords(furtherChanges);
  return inserts + updates + deletes === 0 ? `${further}, net 0` : `${net}, ${further}`;
}

/**
 * Returns `at approval runs production's trigger touched (BEFORE UPDATE)`, and which of them did not fire while staging, with the reason;
 * null if there is no trigger.
 */
export function triggersInWords(triggers: readonly Trigger[]): string | null {
  if (triggers.length === 0) return null;
  const list = triggers.map(
    ({ name, timing, events }) => `${nameCell(name)} (${timing} ${events.join(' OR ')})`,
  );
  const [verb, noun] = triggers.length === 1 ? ['runs', 'trigger'] : ['run', 'triggers'];
  const unstaged = triggers
    .filter((each) => typeof each.unstaged === 'string')
    .map((each) => `${nameCell(each.name)} ${sanitize(each.unstaged ?? '')}`);
  const unseen = unstaged.length === 0 ? '' : `; not fired while staging: ${unstaged.join('; ')}`;
  return `at approval ${verb} production's ${noun} ${list.join(', ')}${unseen}`;
}

/** Returns the text in place of an empty diff. */
export const nothingInWords = (isRejected: boolean) =>
  isRejected ? 'Rejected: its changes were discarded.' : 'No changes.';

/** Returns `1 further change` or `2 further changes`. */
export function furtherInWords(count: number): string {
  return `${count} further change${count === 1 ? '' : 's'}`;
}

/** The explanation of further changes. */
export const furtherExplained =
  "Further changes are those of rows that change again, or end as they began: approval replays them too, and production's triggers run for them. `stage diff --steps` shows all steps.";

/** The text in place of a hidden value. */
export const hiddenInWords = "hidden: your token's database roles may not read this table";

/** Returns the text in place of a table's hidden changes. */
export function changesHidden({ inserts, updates, deletes, furtherChanges }: StepCounts): string {
  const count = inserts + updates + deletes + furtherChanges;
  return `${count} ${count === 1 ? 'change' : 'changes'} ${hiddenInWords}`;
}

/** Describes the kind of a conflict. */
export function conflictInWords({ kind, reason, ignored }: Conflict): string {
  if (ignored) return ignoredInWords;
  return reason === undefined ? conflictWords[kind] : sanitize(reason);
}

/** The text for a change in a column that the configuration ignores. */
export const ignoredInWords = 'ignored: its column does not count';

const conflictWords: Readonly<Record<ConflictKind, string>> = {
  changed: 'the row has changed in production',
  gone: 'the row is gone from production',
  key_exists: 'the key exists in production by now',
  cascade: 'production rows that nobody reviewed would change with it',
  schema: 'the table has changed',
};
