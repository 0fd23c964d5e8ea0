/** Figures of the columns that a session changed: how often each value, or each part of a range, occurs before and after. */
/// <reference lib="dom" />
import { shortCell } from '../client/brief-words.ts';
import { nameCell } from '../client/cell.ts';
import { Fields } from '../client/fields.ts';
import type { TableBrief } from '../model/brief.ts';
import type { JsonText } from '../model/json.ts';
import { elementsOf } from '../model/json-members.ts';
import type { Child } from './dom.ts';
import { h } from './dom.ts';

/** A value or a part of a range, with the numbers of rows that have it. */
interface Bar {
  readonly label: string;
  readonly before: number;
  readonly after: number;
}

/** Fewer rows need no figure: a sentence states as much. */
const fewestRows = 3;

/** Returns the figures of a table's columns; none if its brief has no counts for them. */
export function figuresOf({ facts, sampled }: TableBrief): Child[] {
  const figures = facts.flatMap((fact) => {
    const fields = new Fields(fact);
    const column = fields.text('column');
    const bars = barsOf(fields);
    const rows = bars.reduce((sum, { before }) => sum + before, 0);
    return column === null || rows < fewestRows ? [] : [figureOf(column, bars)];
  });
  if (figures.length === 0) return [];
  const of = sampled === null ? '' : `, of a sample of ${sampled} changes`;
  return [
    h(
      'details',
      { class: 'figures' },
      h('summary', {}, `Values of changed columns, before and after${of}`),
      h('div', {}, ...figures),
    ),
  ];
}

function barsOf(fields: Fields): Bar[] {
  const pairs = fields.list('pairs');
  return pairs.length > 0 ? valueBars(pairs) : rangeBars(fields);
}

/** Adds up the pairs of a column by their values before, and by those after. */
function valueBars(pairs: readonly JsonText[]): Bar[] {
  const bars = new Map<string, { label: string; before: number; after: number }>();
  for (const pair of pairs) {
    const fields = new Fields(pair);
    for (const side of ['before', 'after'] as const) {
      const value = fields.json(side);
      // labels are cut: different values may have the same one
      const key = value?.text ?? 'null';
      const bar = bars.get(key) ?? { label: shortCell(value), before: 0, after: 0 };
      bar[side] += fields.number('rows');
      bars.set(key, bar);
    }
  }
  return [...bars.values()];
}

function rangeBars(fields: Fields): Bar[] {
  const bins = fields.list('bins').map((bin) => elementsOf(bin).map(({ text }) => Number(text)));
  const [low, high] = [fields.json('low'), fields.json('high')].map((bound) =>
    bound === null ? Number.NaN : Number(bound.text),
  ) as [number, number];
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [];
  const step = (high - low) / bins.length;
  const unit = fields.text('unit');
  return bins.map(([before = 0, after = 0], index) => ({
    label: `${boundIn(unit, low + index * step)} …`,
    before,
    after,
  }));
}

/** Formats the lower bound of a part: times to the minute, lengths with their unit, numbers to four digits. */
function boundIn(unit: string | null, value: number): string {
  if (unit === 'time') return new Date(value * 1000).toISOString().slice(0, 16).replace('T', ' ');
  if (unit === 'length') return `${Math.ceil(value)} characters`;
  return String(Number(value.toPrecision(4)));
}

function figureOf(column: string, bars: readonly Bar[]): HTMLTableElement {
  const most = Math.max(...bars.flatMap(({ before, after }) => [before, after]));
  const rows = bars.map(({ label, before, after }) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, label),
      ...[before, after].map((count, side) =>
        h('td', {}, bar(count / most, side === 0 ? 'before' : 'after'), ` ${count}`),
      ),
    ),
  );
  const head = ['', 'before', 'after'].map((name) =>
    name === '' ? h('td') : h('th', { scope: 'col' }, name),
  );
  return h(
    'table',
    {},
    h('caption', {}, nameCell(column)),
    h('thead', {}, h('tr', {}, ...head)),
    h('tbody', {}, ...rows),
  );
}

const space = 'http://www.w3.org/2000/svg';
/** The length of the longest bar. */
const longest = 60;

/** Draws a bar. The number beside it states the same, so that nobody has to see it. @param share between 0 and 1 */
function bar(share: number, side: 'before' | 'after'): SVGElement {
  const element = document.createElementNS(space, 'svg');
  const rect = document.createElementNS(space, 'rect');
  const length = share === 0 ? 0 : Math.max(1, Math.round(share * longest));
  const sizes = { width: String(length), height: '10' };
  for (const [name, value] of Object.entries(sizes)) rect.setAttribute(name, value);
  const attributes = { ...sizes, width: String(longest), class: side, 'aria-hidden': 'true' };
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(rect);
  return element;
}
