/** The tables of the diff with their counts. */
import { tableCell } from '../../client/cell.ts';
import { isTableMarked } from '../../client/part-marks.ts';
import type { StepCounts } from '../../model/change.ts';
import { stepCountsOf } from '../../model/change.ts';
import type { State } from '../state/state.ts';
import type { Line, Span } from '../terminal/line.ts';
import { span } from '../terminal/line.ts';

const inGroups = (count: number) => count.toLocaleString('en-US');

/** Draws counts as `+1 ~2 -3 »4`, where the last is further changes. Counts of zero are left out. */
export function countSpans(counts: StepCounts): Span[] {
  const all: [string, number, Span['style']][] = [
    ['+', counts.inserts, 'added'],
    ['~', counts.updates, 'changed'],
    ['-', counts.deletes, 'removed'],
    ['»', counts.furtherChanges, 'accent'],
  ];
  return all.flatMap(([sign, count, style]) =>
    count === 0 ? [] : [span(`${sign}${inGroups(count)} `, style)],
  );
}

/** Draws the list of tables, two lines each. */
export function tablesView(state: State, height: number): Line[] {
  const tables = state.outline?.tables ?? [];
  const fitting = Math.max(1, Math.floor((height - 1) / 2));
  const first = Math.max(0, Math.min(state.table - fitting + 1, tables.length - fitting));
  const focused = state.pane === 'tables';
  return [
    [span(` Tables ${tables.length}`, 'strong')],
    ...tables.slice(first, first + fitting).flatMap((entry, index): Line[] => {
      const chosen = first + index === state.table;
      const style = chosen ? (focused ? 'chosen' : 'strong') : undefined;
      return [
        [span(chosen ? '>' : ' ', 'strong'), span(tableCell(entry.table), style)],
        [
          span(isTableMarked(state.part, entry.table) ? ' *' : '  ', 'accent'),
          ...countSpans(stepCountsOf([entry])),
          span(entry.hidden ? 'hidden' : '', 'faint'),
          span(markedRows(state, entry.table), 'accent'),
        ],
      ];
    }),
  ];
}

/** Returns how many rows of a table are marked one by one: `*2`. */
function markedRows({ part }: State, table: string): string {
  const rows = part.get(table);
  return rows === undefined || rows === 'whole' ? '' : `*${inGroups(rows.size)}`;
}
