/** Which triggers of a table may fire while its rows are staged, as far as its definition tells. */
import type { Table, Trigger } from '../../model/table.ts';
import { isKeyless } from '../object-names.ts';

type Event = Trigger['events'][number];

/** What keeps all triggers of a table from firing, as the end of "trigger ..."; null where nothing does. */
export function tableObstacle(table: Table): string | null {
  if (table.kind === 'partitioned') return 'is one of a partitioned table';
  if (table.isInherited || table.hasChildren) return 'is one of a table with parents or children';
  if (isKeyless(table)) return 'is one of a table without a key';
  if (table.policies !== null) return 'is one of a table with row-level security';
  return null;
}

/** The triggers that PostgreSQL fires before it changes a row, in order. */
export const rowTriggers = ({ triggers }: Table, event: Event): readonly Trigger[] =>
  triggers.filter(
    ({ level, timing, events }) => level === 'row' && timing === 'before' && events.includes(event),
  );

/**
 * Whether rows of an operation go by triggers that may fire. Each sees what the one before it has made of the row: either all of them
 * fire, or none.
 */
export function mayFire(table: Table, event: Event): boolean {
  const triggers = rowTriggers(table, event);
  return (
    tableObstacle(table) === null &&
    triggers.length > 0 &&
    triggers.every(({ obstacle }) => obstacle === null)
  );
}
