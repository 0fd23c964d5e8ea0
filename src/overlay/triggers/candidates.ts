/** Decides by a table's definition which of its triggers may fire while its rows are staged. */
import type { Table, Trigger } from '../../model/table.ts';
import { isKeyless } from '../object-names.ts';

type Event = Trigger['events'][number];

/** Returns the kind of a table that has no part in triggers which fire while rows are staged; null for all other tables. */
export function kindApart(table: Table): string | null {
  if (table.kind === 'partitioned') return 'a partitioned table';
  if (table.isInherited || table.hasChildren) return 'a table with parents or children';
  if (isKeyless(table)) return 'a table without a key';
  if (table.policies !== null) return 'a table with row-level security';
  return null;
}

/** Returns why no trigger of a table fires, as the end of "trigger ..."; null if they may. */
export function tableObstacle(table: Table): string | null {
  const kind = kindApart(table);
  return kind === null ? null : `is one of ${kind}`;
}

/** Returns whether a trigger fires for updates of certain columns only. What statements set matters then. */
export const waitsForColumns = (table: Table) =>
  needsColumns(table) || table.triggers.some(({ function: { gated } }) => gated !== null);

/**
 * Returns whether one of these triggers is missed by an update that does not name its columns. A compiled one is not: it computes
 * its column again where they are unknown.
 */
export const needsColumns = ({ triggers }: Table) =>
  triggers.some(({ columns }) => columns !== null);

/** Returns the row triggers that PostgreSQL fires before or after it changes a row, in order. */
export const rowTriggers = (
  { triggers }: Table,
  event: Event,
  when: Trigger['timing'] = 'before',
): readonly Trigger[] =>
  triggers.filter(
    ({ level, timing, events }) => level === 'row' && timing === when && events.includes(event),
  );

const hasNoObstacle = ({ obstacle }: Trigger) => obstacle === null;

/**
 * Returns whether the BEFORE triggers of an operation may fire. Each receives the row as the one before it left it, so either all of them
 * fire, or none.
 */
export function mayFire(table: Table, event: Event): boolean {
  const triggers = rowTriggers(table, event);
  return tableObstacle(table) === null && triggers.length > 0 && triggers.every(hasNoObstacle);
}

/** Returns whether AFTER triggers may fire. The first one of an operation decides: those behind it see what it has done. */
export function mayFireAfter(table: Table): boolean {
  const mayFireFor = (event: Event) => {
    const [first] = rowTriggers(table, event, 'after');
    return first !== undefined && [...rowTriggers(table, event), first].every(hasNoObstacle);
  };
  return (
    tableObstacle(table) === null && (['insert', 'update', 'delete'] as const).some(mayFireFor)
  );
}
