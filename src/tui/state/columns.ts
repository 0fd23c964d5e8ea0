/** The columns outside the key: those that are shown, and the selected one. */
import { isChanged, SidesCache } from '../cells.ts';
import { visibleRows } from './lists.ts';
import type { State } from './state.ts';
import { currentTable } from './state.ts';

/** Returns the columns outside the key; only those that a visible update changes, if `changedOnly` is set. */
export function shownColumns(state: State, sides = new SidesCache()): readonly string[] {
  const { columns = [], key = [] } = currentTable(state) ?? {};
  const names = columns.map(({ name }) => name).filter((name) => !key.includes(name));
  if (!state.changedOnly) return names;
  const { top, count } = visibleRows(state);
  const updates = Array.from({ length: count }, (_, index) =>
    state.changes.get(top + index),
  ).flatMap((change) => (change?.type === 'UPDATE' ? change : []));
  if (updates.length === 0) return names;
  return names.filter((name) =>
    updates.some((change) => isChanged(change, sides.of(change, columns), name)),
  );
}

/** Returns the position of the selected column among the shown ones: the first, where it is not shown. */
export function selectedColumn({ column }: State, shown: readonly string[]): number {
  return Math.max(0, shown.indexOf(column ?? ''));
}
