/** Decides by a table's definition which of its triggers may fire while its rows are staged. */
import type { ForeignKeyAction, Table, Trigger } from '../../model/table.ts';
import { isKeyless } from '../object-names.ts';

export type Event = Trigger['events'][number];

const events = ['insert', 'update', 'delete', 'truncate'] as const;

/** Returns the kind of a table to which no code writes while rows are staged, and whose triggers do not fire; null for all other tables. */
export function kindApart(table: Table): string | null {
  if (table.isInherited || table.hasChildren) return 'a table with parents or children';
  if (isKeyless(table)) return 'a table without a key';
  return null;
}

/** Returns why no trigger of a table fires, as the end of "trigger ..."; null if they may. */
export function tableObstacle(table: Table): string | null {
  const kind = kindApart(table);
  return kind === null ? null : `is one of ${kind}`;
}

/** Returns whether triggers fire for the rows of partitions, of which PostgreSQL has copies in each partition. */
export const fireInPartitions = (table: Table): boolean =>
  table.kind === 'partitioned' &&
  tableObstacle(table) === null &&
  table.triggers.some(({ level }) => level === 'row');

/** Returns whether a trigger fires, or does anything, for updates of certain columns only. What statements set matters then. */
export const waitsForColumns = ({ triggers }: Table) =>
  triggers.some(({ columns, function: { gated } }) => columns !== null || gated !== null);

/** Returns the row triggers that PostgreSQL fires before or after it changes a row, in order. */
export const rowTriggers = (
  { triggers }: Table,
  event: Event,
  when: Trigger['timing'] = 'before',
): readonly Trigger[] =>
  triggers.filter(
    ({ level, timing, events }) => level === 'row' && timing === when && events.includes(event),
  );

/** Returns the statement triggers that PostgreSQL fires before or after an operation, in order. */
export const statementTriggers = (
  { triggers }: Table,
  event: Event,
  when: Trigger['timing'],
): readonly Trigger[] =>
  triggers.filter(
    ({ level, timing, events }) =>
      level === 'statement' && timing === when && events.includes(event),
  );

/** Returns the triggers that PostgreSQL fires at the end of an operation, in order: those of rows come before those of the statement. */
export const endTriggers = (table: Table, event: Event): readonly Trigger[] => [
  ...rowTriggers(table, event, 'after'),
  ...statementTriggers(table, event, 'after'),
];

/** Returns why a trigger of statements does not fire: foreign keys make some of them; null if it may. */
export function actionObstacle({ references }: Table, { level, events }: Trigger): string | null {
  const acts = (action: ForeignKeyAction, event: Event) =>
    event === 'delete' ? action === 'cascade' : action !== 'no action' && action !== 'restrict';
  const isMade = references.some(
    ({ onDelete, onUpdate }) =>
      (events.includes('delete') && acts(onDelete, 'delete')) ||
      (events.includes('update') &&
        (acts(onUpdate, 'update') || (acts(onDelete, 'update') && onDelete !== 'cascade'))),
  );
  // guard: a trigger whose statements are actions of foreign keys, too, is left to approval
  return level === 'statement' && isMade ? 'fires for statements that foreign keys make' : null;
}

/** Returns whether BEFORE STATEMENT triggers may fire. The first one of an operation decides, as for AFTER triggers. */
export const mayFireFirst = (table: Table): boolean =>
  tableObstacle(table) === null &&
  events.some((event) => statementTriggers(table, event, 'before')[0]?.obstacle === null);

/** Returns whether a table's AFTER triggers run with the rights of the owners of their functions. */
export const fireAsOwners = ({ triggers }: Table): boolean =>
  triggers.some(({ timing, function: { definer } }) => timing === 'after' && definer !== null) &&
  clientsTrigger(triggers) === undefined;

/** Returns an AFTER trigger that runs with the rights of the client. */
export const clientsTrigger = (triggers: readonly Trigger[]) =>
  triggers.find(
    ({ timing, obstacle, function: { definer } }) =>
      timing === 'after' && obstacle === null && definer === null,
  );

const hasNoObstacle = ({ obstacle }: Trigger) => obstacle === null;

/**
 * Returns whether the BEFORE triggers of an operation may fire. Each receives the row as the one before it left it, so either all of them
 * fire, or none. Those for its deletion and insertion fire for an update that moves a row to another partition.
 */
export function mayFire(table: Table, event: Event): boolean {
  const triggers = rowTriggers(table, event);
  const isAny = triggers.length > 0 || (event === 'update' && firesForMoves(table));
  return tableObstacle(table) === null && isAny && triggers.every(hasNoObstacle);
}

const firesForMoves = (table: Table) =>
  fireInPartitions(table) &&
  (['delete', 'insert'] as const).some((event) => rowTriggers(table, event).length > 0);

/** Returns whether BEFORE triggers of an operation run with the rights of their functions' owners. */
export const firesBeforeAsOwner = (table: Table, event: Event): boolean =>
  mayFire(table, event) && rowTriggers(table, event).some(runsAsOwner);

/** Returns whether those of any operation do. */
export const anyBeforeAsOwner = (table: Table): boolean =>
  events.some((event) => firesBeforeAsOwner(table, event));

export const runsAsOwner = ({ function: { definer } }: Trigger): boolean => definer !== null;

/** Returns whether AFTER triggers may fire. The first one of an operation decides: those behind it see what it has done. */
export function mayFireAfter(table: Table): boolean {
  const mayFireFor = (event: Event) => {
    const [first] = endTriggers(table, event);
    return first !== undefined && [...rowTriggers(table, event), first].every(hasNoObstacle);
  };
  return tableObstacle(table) === null && events.some(mayFireFor);
}
