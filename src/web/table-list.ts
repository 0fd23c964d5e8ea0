/** The list of a session's tables, with their counts and checkboxes. */
/// <reference lib="dom" />
import { tableCell } from '../client/cell.ts';
import type { TableOutline } from '../model/change.ts';
import { sumOf } from '../model/change.ts';
import { button, h } from './dom.ts';
import type { Marking } from './marking.ts';
import { tableBox } from './marking.ts';

/** Creates an entry for each table. @param current the open table */
export function tableEntries(
  tables: readonly TableOutline[],
  current: string | undefined,
  open: (table: string) => void,
  marking: () => Marking,
): HTMLElement[] {
  return tables.map(({ table, chunks }) => {
    const entry = button(tableCell(table), () => open(table), {
      'aria-current': String(table === current),
    });
    const { inserts, updates, deletes } = sumOf(chunks);
    const counts = [
      inserts > 0 ? `+${inserts}` : '',
      updates > 0 ? `~${updates}` : '',
      deletes > 0 ? `−${deletes}` : '',
    ];
    entry.append(h('span', { class: 'counts' }, counts.filter(Boolean).join(' ') || '»'));
    return h('div', { class: 'entry' }, tableBox(table, marking), entry);
  });
}
