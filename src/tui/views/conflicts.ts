/** The conflicts: the values that the session saw, that it staged, and that production has now, side by side. */
import { keyCell, nameCell, tableCell } from '../../client/cell.ts';
import { conflictLine, conflictSides } from '../../client/place-words.ts';
import { conflictInWords, hiddenInWords } from '../../client/words.ts';
import type { Conflict } from '../../model/conflict.ts';
import { shortCell } from '../cells.ts';
import type { State } from '../state/state.ts';
import type { Line, Style } from '../terminal/line.ts';
import { span } from '../terminal/line.ts';
import { fit, wrap } from '../terminal/text.ts';

function titledSides(conflict: Conflict): [string, string, Style][] {
  const [base, staged, current] = conflictSides(conflict, (value) => shortCell(value, 500));
  return [
    ['session saw', base, 'faint'],
    ['session stages', staged, 'added'],
    ['production has', current, 'alarm'],
  ];
}

/** Draws the list, and below it the selected conflict with its three sides. */
export function conflictsView(state: State, width: number, height: number): Line[] {
  const { conflicts, ignored } = state;
  if (conflicts === null) return [[], [span('  Comparing with production …', 'faint')]];
  if (conflicts.length === 0) return withoutConflicts(ignored, width);
  const below: Line[] =
    ignored.length === 0
      ? []
      : [[span(`  ${ignored.length} ignored: columns that do not count`, 'faint')]];
  const listed = Math.max(1, Math.min(conflicts.length, height - 6 - below.length));
  const first = Math.max(0, Math.min(state.conflict - listed + 1, conflicts.length - listed));
  const chosen = conflicts[state.conflict] as Conflict;
  const side = Math.max(8, Math.floor((width - 30) / 3));
  return [
    [
      span(fit('  table, row, column', 27), 'strong'),
      ...titledSides(chosen).map(([title]) => span(` ${fit(title, side)}`, 'strong')),
    ],
    ...conflicts
      .slice(first, first + listed)
      .map((conflict, index) => entry(conflict, first + index === state.conflict, side)),
    [span('─'.repeat(width), 'faint')],
    [span(`${placeOf(chosen)}: ${conflictInWords(chosen)}`, 'strong')],
    ...(chosen.hidden ? [[span(`  ${hiddenInWords}`)]] : sideLines(chosen)),
    ...below,
  ];
}

function withoutConflicts(ignored: readonly Conflict[], width: number): Line[] {
  if (ignored.length === 0)
    return [[], [span('  No conflicts: production is as the session saw it.', 'added')]];
  return [
    [],
    [span('  No conflicts: what has changed in production does not count.', 'added')],
    ...ignored.flatMap((conflict) =>
      wrap(conflictLine(conflict), width - 2).map((text): Line => [span(`  ${text}`, 'faint')]),
    ),
  ];
}

const sideLines = (conflict: Conflict): Line[] =>
  titledSides(conflict).map(([title, cell, style]) => [
    span(`  ${fit(title, 15)}`),
    span(cell, style),
  ]);

function placeOf({ table, rowId, field, hidden }: Conflict): string {
  if (hidden) return `${tableCell(table)} (hidden)`;
  return `${tableCell(table)} ${keyCell(rowId)}${field === null ? '' : ` ${nameCell(field)}`}`;
}

function entry(conflict: Conflict, chosen: boolean, side: number): Line {
  const place = span(fit(placeOf(conflict), 25), chosen ? 'chosen' : undefined);
  const cells = titledSides(conflict).map(([, cell, style]) =>
    span(` ${fit(conflict.field === null ? '' : cell, side)}`, style),
  );
  return [span(chosen ? '> ' : '  ', 'strong'), place, ...cells];
}
