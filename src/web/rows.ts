/** Views of a changed row: one line, and the detail with all columns. */
/// <reference lib="dom" />
import { causeInWords } from '../client/cause-words.ts';
import { keyCell, nameCell } from '../client/cell.ts';
import type { Row, Value } from '../client/values.ts';
import { columnCell, isNull, isSame, plainText, valuesOf } from '../client/values.ts';
import { wordDifferences } from '../client/word-diff.ts';
import type { Change, ChangePage, OutlineColumn } from '../model/change.ts';
import type { Child } from './dom.ts';
import { button, h } from './dom.ts';
import { excerpt, excerpts } from './excerpt.ts';

const signs = { INSERT: '+', UPDATE: '~', DELETE: '−' } as const;
const words = { INSERT: 'inserted', UPDATE: 'updated', DELETE: 'deleted' } as const;

/** Number of characters of a value in a line and in the detail. */
const most = { line: 60, detail: 20_000 };

export type Listed = ChangePage['changes'][number];

interface Sides {
  readonly names: readonly string[];
  readonly before: Row;
  readonly after: Row;
}

function sidesOf(change: Change, columns: readonly OutlineColumn[]): Sides {
  const before = valuesOf(change.before, change.texts, 'before', columns);
  const after = valuesOf(change.after, change.texts, 'after', columns);
  return { names: [...new Set([...before.keys(), ...after.keys()])], before, after };
}

/** Callbacks of a line. */
export interface RowActions {
  readonly open: (change: Listed) => void;
  /** The checkbox that marks the row; null for none. */
  readonly box: HTMLElement | null;
}

/** Creates the line of a row. An update shows its changed columns only. */
export function lineOf(
  change: Listed,
  columns: readonly OutlineColumn[],
  { open, box }: RowActions,
): HTMLLIElement {
  const { names, before, after } = sidesOf(change, columns);
  const isUpdate = change.type === 'UPDATE';
  const shown = isUpdate
    ? names.filter((name) => !isSame(before.get(name), after.get(name)))
    : names;
  const cells = shown.map((name) =>
    h(
      'span',
      { class: 'cell' },
      h('span', { class: 'name' }, nameCell(name)),
      ' ',
      ...(isUpdate
        ? sides(before.get(name), after.get(name), most.line)
        : [plain(before.get(name) ?? after.get(name))]),
    ),
  );
  const line = button('', () => open(change), {
    class: 'line',
    'aria-expanded': 'false',
  });
  const word = h('span', { class: 'unseen' }, words[change.type]);
  const sign = h('span', { class: 'sign', 'aria-hidden': 'true' }, signs[change.type]);
  line.append(word, sign, h('code', { class: 'key' }, keyCell(change.rowId)));
  line.append(h('span', { class: 'cells' }, ...cells));
  const kind = change.type.toLowerCase();
  return h('li', { class: box === null ? kind : `${kind} markable` }, box, line);
}

function plain(value: Value | undefined): HTMLElement {
  const isDim = value === undefined || isNull(value);
  return h(
    'span',
    { class: isDim ? 'dim' : 'value' },
    value ? excerpt(columnCell(value), most.line) : '',
  );
}

const cellOf = (value: Value | undefined) => (value ? columnCell(value) : '(none)');

/** Creates the cells of a value before and after. */
function sides(was: Value | undefined, is: Value | undefined, length: number): Child[] {
  const [before, after] = excerpts(cellOf(was), cellOf(is), length);
  return [h('del', {}, before), ' → ', h('ins', {}, after)];
}

/** Creates the detail of a row: all columns, and the statements that caused the change. */
export function detailOf(
  change: Listed,
  columns: readonly OutlineColumn[],
  mutations: ChangePage['mutations'],
  more: readonly Child[],
): HTMLElement {
  const { names, before, after } = sidesOf(change, columns);
  const rows = names.map((name) => {
    const [was, is] = [before.get(name), after.get(name)];
    const isChanged = change.type === 'UPDATE' && !isSame(was, is);
    return h(
      'tr',
      isChanged ? { class: 'changed' } : {},
      h('th', { scope: 'row' }, nameCell(name)),
      h('td', {}, ...(isChanged && was && is ? changedCells(was, is) : [whole(is ?? was)])),
    );
  });
  const causes = (change.why ?? []).map((cause) =>
    h(
      'li',
      {},
      causeInWords(
        cause,
        mutations?.find(({ id }) => id === cause.mutationId),
      ),
    ),
  );
  return h(
    'div',
    { class: 'detail' },
    h('table', {}, h('tbody', {}, ...rows)),
    causes.length === 0 ? null : h('h2', {}, 'Why'),
    causes.length === 0 ? null : h('ul', { class: 'why' }, ...causes),
    ...more,
  );
}

const whole = (value: Value | undefined) => (value ? excerpt(columnCell(value), most.detail) : '');

/** Creates both cells; for long texts, their differences by word. */
function changedCells(was: Value, is: Value): Child[] {
  const [before, after] = [plainText(was) ?? '', plainText(is) ?? ''];
  const isLong = before.length + after.length > 160 && before.length + after.length < most.detail;
  const parts = isLong ? wordDifferences(cellOf(was), cellOf(is)) : [];
  if (!parts.some(({ kind, text }) => kind === 'same' && text.length > 20))
    return sides(was, is, most.detail);
  return parts.map(({ kind, text }) => {
    if (kind === 'same') return text;
    return kind === 'removed' ? h('del', {}, text) : h('ins', {}, text);
  });
}
