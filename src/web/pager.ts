/** The line below the rows: the place in the list, buttons to other pages, search and filter. */
/// <reference lib="dom" />
import type { Operation, TableOutline } from '../model/change.ts';
import { button, fill, h } from './dom.ts';
import type { Filter, Pages } from './pages.ts';
import { countOf } from './pages.ts';

export type Turn = 'first' | 'previous' | 'next' | 'last';

interface Place {
  readonly pages: Pages;
  readonly outline: TableOutline | null;
  readonly filter: Filter;
  /** The number of rows on the page. */
  readonly length: number;
}

/** Fills the line. The search field stays as it is. */
export function drawPager(
  region: Element,
  search: HTMLInputElement,
  { pages, outline, filter, length }: Place,
  go: (where: Turn) => void,
  nextFilter: () => void,
): void {
  const isFiltered = Boolean(filter.type || filter.search);
  const total =
    outline && !isFiltered ? ` of ${countOf(outline.chunks).toLocaleString('en-US')}` : '';
  const from = (length === 0 ? pages.start : pages.start + 1).toLocaleString('en-US');
  const to = (pages.start + length).toLocaleString('en-US');
  const step = (label: string, where: Turn, isOn: boolean) => {
    const made = button(label, () => go(where));
    made.disabled = !isOn;
    return made;
  };
  if (region.childElementCount === 0)
    region.append(h('span'), h('span', { class: 'filters' }, search), h('span'));
  const [turn, , kind] = region.children;
  if (turn)
    fill(
      turn,
      step('First', 'first', pages.hasPrevious),
      step('‹', 'previous', pages.hasPrevious),
      ` ${from}–${to}${total} `,
      step('›', 'next', pages.hasNext),
      step('Last', 'last', outline !== null && !isFiltered && pages.hasNext),
    );
  if (kind) fill(kind, button(wordOf(filter.type), nextFilter));
}

const wordOf = (type: Operation | undefined) => type?.toLowerCase() ?? 'all kinds';
