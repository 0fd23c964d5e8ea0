/** One change in full, with every column: differences of long texts word by word, of JSON path by path. */
import { keyCell, nameCell, tableCell } from '../../client/cell.ts';
import { differencesInside } from '../../client/json-diff.ts';
import { markKey } from '../../client/marks.ts';
import type { Value } from '../../client/values.ts';
import { isNull, isSame } from '../../client/values.ts';
import type { NumberedChange } from '../../model/change.ts';
import type { JsonText } from '../../model/json.ts';
import type { Sides } from '../cells.ts';
import {
  arrow,
  isChanged,
  markedDifference,
  nearDifference,
  SidesCache,
  shortCell,
  shortText,
} from '../cells.ts';
import { divide } from '../screen.ts';
import type { State } from '../state/state.ts';
import { currentTable, rowKey } from '../state/state.ts';
import type { Line } from '../terminal/line.ts';
import { fitLine, lineWidth, span, wrapLine } from '../terminal/line.ts';
import { widthOf } from '../terminal/text.ts';
import { commentLines } from './comments.ts';
import { signs } from './signs.ts';

/** The maximum number of characters of a value that are shown; copying takes the whole value. */
const most = 65_536;

/** Draws the selected change from the current scroll position. */
export function detailView(state: State, sides: SidesCache, width: number, height: number): Line[] {
  const lines = detailLines(state, sides, width);
  const start = Math.max(0, Math.min(state.detailTop, lines.length - height));
  return lines.slice(start, start + height);
}

/** Returns the number of scroll positions. */
export function detailLength(state: State): number {
  const { main, height, list } = divide(state);
  const lines = detailLines(state, new SidesCache(), main);
  return Math.max(1, lines.length - (height - list) + 1);
}

function detailLines(state: State, sides: SidesCache, width: number): Line[] {
  const change = state.changes.get(state.row);
  const table = currentTable(state);
  if (change === undefined || table === null) return [[span('…', 'faint')]];
  const both = sides.of(change, table.columns);
  const known = table.columns.map(({ name }) => name);
  const gone = [...both.before.keys(), ...both.after.keys()].filter(
    (name) => !known.includes(name),
  );
  const names = [...new Set([...known, ...gone])].filter(
    (name) => !state.changedOnly || isChanged(change, both, name),
  );
  const { sign, style } = signs[change.type];
  const title: Line = [
    span(`${sign} ${change.type} `, style),
    span(`${tableCell(change.table)} ${keyCell(change.rowId)}`, 'strong'),
  ];
  const nameWidth = Math.min(24, Math.max(...names.map((name) => widthOf(nameCell(name)))));
  return [
    title,
    ...names.flatMap((name) => {
      const type = table.columns.find((column) => column.name === name)?.type;
      const label: Line = [
        span(isChanged(change, both, name) ? `${sign} ` : '  ', style),
        ...fitLine([span(nameCell(name), 'strong')], nameWidth),
        span(state.types ? ` ${type ?? ''} ` : ' ', 'faint'),
      ];
      return folded(state, label, valueLines(change, both, name, width), width);
    }),
    ...rowComments(state, change, width),
    ...whyLines(state, change, width),
  ];
}

/** Draws the comments on the row. */
function rowComments({ comments }: State, change: NumberedChange, width: number): Line[] {
  const key = rowKey(change.table, change.rowId);
  const about = comments.filter(
    ({ table, rowId }) => table !== null && rowId !== null && rowKey(table, rowId) === key,
  );
  return about.flatMap((comment) => commentLines(comment, width));
}

/** Draws the statements that made the change. */
function whyLines({ whys }: State, change: NumberedChange, width: number): Line[] {
  const causes = whys.get(markKey(change)) ?? [];
  if (causes.length === 0) return [];
  const lines = causes.flatMap((cause) => wrapLine([span(cause)], Math.max(10, width - 2)));
  return [[], [span('Why', 'strong')], ...lines.map((line): Line => [span('  '), ...line])];
}

/** Draws a label with its value's lines beside it. */
function folded(state: State, label: Line, values: readonly Line[], width: number): Line[] {
  const indent = lineWidth(label);
  const room = Math.max(10, width - indent);
  const lines = values.flatMap((value) => (state.wrapped ? wrapLine(value, room) : [value]));
  return lines.map((line, index) => [
    ...(index === 0 ? label : [span(' '.repeat(indent))]),
    ...line,
  ]);
}

function valueLines(change: NumberedChange, sides: Sides, name: string, width: number): Line[] {
  const [before, after] = [sides.before.get(name), sides.after.get(name)];
  if (change.type === 'INSERT') return [[span(shortCell(after, most), 'added')]];
  if (change.type === 'DELETE') return [[span(shortCell(before, most), 'removed')]];
  if (isSame(before, after)) return [[span(shortCell(before, most), 'faint')]];
  const isBytes = before?.isBytes ?? after?.isBytes ?? false;
  if (!isBytes && (isHuge(before) || isHuge(after))) {
    const near =
      nearDifference(before, after) ?? arrow(shortCell(before, 100), shortCell(after, 100));
    return [[span('first difference: ', 'accent'), ...near]];
  }
  const inside = partLines(before, after);
  if (inside.length > 0) return inside;
  const [old, now] = [shortCell(before, most), shortCell(after, most)];
  const isShort = isBytes || old.length + now.length + 30 <= width;
  if (isShort || before === undefined || after === undefined || isNull(before) || isNull(after))
    return [arrow(old, now)];
  return [markedDifference(old, now)];
}

const isHuge = (value: Value | undefined) => value !== undefined && value.json.text.length > most;

/** The maximum number of characters of a value inside a document, as there may be hundreds of values. */
const mostInside = 500;

/** The maximum number of differences that are shown. */
const mostParts = 500;

/** Draws the differences of two documents. */
function partLines(before: Value | undefined, after: Value | undefined): Line[] {
  const insideCell = (json: JsonText) => shortText(json.text, mostInside);
  const parts = differencesInside(before, after).slice(0, mostParts);
  return parts.map(({ path, before: old, after: now }): Line => {
    const place = span(`${path === '' ? 'all' : path}: `, 'accent');
    if (now === undefined)
      return [place, span(`(removed) ${old ? insideCell(old) : ''}`, 'removed')];
    if (old === undefined) return [place, span(`(added) ${insideCell(now)}`, 'added')];
    return [place, ...arrow(insideCell(old), insideCell(now))];
  });
}
