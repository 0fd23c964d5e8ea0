/** The pane of rows: tables, pages of changes, and the open row. */
/// <reference lib="dom" />
import { tableCell } from '../client/cell.ts';
import { changesHidden, countsInWords, triggersInWords } from '../client/words.ts';
import type { Brief } from '../model/brief.ts';
import type { ChangePage, Operation, Outline, TableOutline } from '../model/change.ts';
import { operations, stepCountsOf, sumOf } from '../model/change.ts';
import type { Comment } from '../model/event.ts';
import { commentOn } from './decide.ts';
import { button, fill, h } from './dom.ts';
import type { Edits } from './edits.ts';
import { figuresOf } from './figures.ts';
import { faultOf } from './http.ts';
import type { Filter } from './pages.ts';
import { countOf, Pages } from './pages.ts';
import { commentItem } from './panes.ts';
import type { Listed } from './rows.ts';
import { detailOf, lineOf } from './rows.ts';

export class RowsPane {
  readonly #id: string;
  readonly #comments: () => readonly Comment[];
  readonly #afterComment: () => void;
  readonly #edits: () => Edits;
  readonly #nav = h('nav', { class: 'tables', 'aria-label': 'Tables' });
  readonly #about = h('p', { class: 'about' });
  readonly #figures = h('div');
  readonly #list = h('ol', { class: 'rows', 'aria-label': 'Changes' });
  readonly #pager = h('div', { class: 'pager' });
  readonly #search = h('input', {
    type: 'search',
    placeholder: 'Search rows',
    'aria-label': 'Search rows',
  });
  readonly element = h('div', { class: 'browse' });
  #outline: Outline | null = null;
  #brief: Brief | null = null;
  #pages: Pages | null = null;
  #page: ChangePage | null = null;
  /** Key of the open row. */
  #opened: string | null = null;
  #filter: Filter = { type: undefined, search: undefined };

  constructor(
    id: string,
    comments: () => readonly Comment[],
    afterComment: () => void,
    edits: () => Edits,
  ) {
    [this.#id, this.#comments, this.#afterComment] = [id, comments, afterComment];
    this.#edits = edits;
    this.#search.addEventListener('change', () => {
      this.#filter = { ...this.#filter, search: this.#search.value || undefined };
      if (this.#pages) this.open(this.#pages.table);
    });
    const main = h('div', { class: 'list' }, this.#about, this.#figures, this.#list, this.#pager);
    this.element.append(this.#nav, main);
  }

  /** Shows the first page of a table. */
  open(table: string): void {
    this.#pages = new Pages(this.#id, table, this.#filter);
    this.#page = null;
    this.#drawNav();
    this.#drawFigures();
    void this.#read();
  }

  /** Sets the outline: the tables with their counts. */
  setOutline(outline: Outline): void {
    this.#outline = outline;
    const current = this.#pages?.table;
    const [first] = outline.tables;
    this.#drawNav();
    if (outline.tables.some(({ table }) => table === current)) this.#draw();
    else if (first) this.open(first.table);
    else fill(this.#list, h('li', { class: 'none' }, 'No changes.'));
  }

  /** Sets the brief, whose figures are shown above the rows of each table. */
  setBrief(brief: Brief | null): void {
    this.#brief = brief;
    this.#drawFigures();
  }

  #drawFigures(): void {
    const found = this.#brief?.tables.find(({ table }) => table === this.#pages?.table);
    fill(this.#figures, ...(found ? figuresOf(found) : []));
  }

  /** Opens the next or the previous table. */
  turnTable(by: 1 | -1): void {
    const tables = this.#outline?.tables ?? [];
    const at = tables.findIndex(({ table }) => table === this.#pages?.table) + by;
    const next = tables[at]?.table;
    if (next !== undefined) this.open(next);
  }

  /** Shows changes of one type, or all. */
  filterBy(type: Operation | undefined): void {
    this.#filter = { ...this.#filter, type };
    if (this.#pages) this.open(this.#pages.table);
  }

  nextFilter(): void {
    const kinds = [undefined, ...operations];
    this.filterBy(kinds[(kinds.indexOf(this.#filter.type) + 1) % kinds.length]);
  }

  focusSearch(): void {
    this.#search.focus();
  }

  go(where: 'first' | 'previous' | 'next' | 'last'): void {
    const [pages, outline] = [this.#pages, this.#current];
    if (pages === null) return;
    if (where === 'last') {
      if (outline) pages.last(outline);
    } else pages[where]();
    void this.#read();
  }

  /** Moves the focus among the lines. */
  move(by: number): void {
    const lines = this.#lines();
    lines[Math.max(0, Math.min(lines.length - 1, this.#focused() + by))]?.focus();
  }

  #lines(): HTMLButtonElement[] {
    return [...this.#list.querySelectorAll<HTMLButtonElement>('.line')];
  }

  /** Returns the index of the focused line; -1 if there is none. */
  #focused(): number {
    return this.#lines().indexOf(document.activeElement as HTMLButtonElement);
  }

  /** Closes the open row. */
  close(): void {
    const open = this.#list.querySelector<HTMLButtonElement>('[aria-expanded=true]');
    if (open) open.click();
  }

  get #current(): TableOutline | null {
    return this.#outline?.tables.find(({ table }) => table === this.#pages?.table) ?? null;
  }

  async #read(): Promise<void> {
    const pages = this.#pages;
    if (pages === null) return;
    try {
      const page = await pages.read();
      // the user has opened another table meanwhile
      if (pages !== this.#pages) return;
      [this.#page, this.#opened] = [page, null];
      this.#draw();
    } catch (error) {
      if (pages === this.#pages) fill(this.#list, h('li', { class: 'fault' }, faultOf(error)));
    }
  }

  /** Draws the lines. Keeps the focus and the open row. */
  #draw(): void {
    const [page, outline, at] = [this.#page, this.#current, this.#focused()];
    if (page === null) return;
    const columns = outline?.columns ?? [];
    const lines = page.changes.map((change) => {
      const line = lineOf(change, columns, { open: (row) => this.#toggle(line, row, page) });
      return line;
    });
    const opened = page.changes.findIndex(({ rowId }) => rowId.text === this.#opened);
    const hidden = outline?.hidden && changesHidden(stepCountsOf([outline]));
    const none =
      hidden || (page.nextCursor === null ? 'Nothing that fits.' : 'Nothing on this page.');
    fill(this.#list, ...(lines.length === 0 ? [h('li', { class: 'none' }, none)] : lines));
    const [line, row] = [lines[opened], page.changes[opened]];
    if (line && row) this.#toggle(line, row, page);
    if (at >= 0) this.#lines()[at]?.focus();
    const triggers = outline && triggersInWords(outline.triggers);
    fill(
      this.#about,
      outline && countsInWords(stepCountsOf([outline])),
      triggers && h('b', {}, `! ${triggers}`),
      this.#takeOutTable(),
    );
    this.#drawPager(page.changes.length);
  }

  #drawPager(length: number): void {
    const pages = this.#pages;
    if (pages === null) return;
    const outline = this.#current;
    const isFiltered = Boolean(this.#filter.type || this.#filter.search);
    const total =
      outline && !isFiltered ? ` of ${countOf(outline.chunks).toLocaleString('en-US')}` : '';
    const from = (length === 0 ? pages.start : pages.start + 1).toLocaleString('en-US');
    const to = (pages.start + length).toLocaleString('en-US');
    const step = (label: string, where: 'first' | 'previous' | 'next' | 'last', isOn: boolean) => {
      const made = button(label, () => this.go(where));
      made.disabled = !isOn;
      return made;
    };
    const kind = button(this.#filter.type?.toLowerCase() ?? 'all kinds', () => this.nextFilter());
    if (this.#pager.childElementCount === 0)
      this.#pager.append(h('span'), h('span', { class: 'filters' }, this.#search), h('span'));
    const [turn, , filter] = this.#pager.children;
    if (turn)
      fill(
        turn,
        step('First', 'first', pages.hasPrevious),
        step('‹', 'previous', pages.hasPrevious),
        ` ${from}–${to}${total} `,
        step('›', 'next', pages.hasNext),
        step('Last', 'last', outline !== null && !isFiltered && pages.hasNext),
      );
    if (filter) fill(filter, kind);
  }

  #toggle(line: HTMLLIElement, change: Listed, page: ChangePage): void {
    const head = line.querySelector('.line');
    const isOpen = head?.getAttribute('aria-expanded') === 'true';
    if (!isOpen) this.close();
    head?.setAttribute('aria-expanded', String(!isOpen));
    line.querySelector('.detail')?.remove();
    this.#opened = isOpen ? null : change.rowId.text;
    if (isOpen) return;
    const about = this.#comments().filter(
      ({ table, rowId }) => table === change.table && rowId?.text === change.rowId.text,
    );
    const comment = button('Comment on this row…', () =>
      commentOn(this.#id, change.table, change.rowId.text, this.#afterComment),
    );
    const text =
      about.length === 0 ? null : h('ul', { class: 'comments' }, ...about.map(commentItem));
    line.append(
      detailOf(change, this.#current?.columns ?? [], page.mutations, [
        text,
        comment,
        this.#takeOutRow(change),
      ]),
    );
  }

  /** Creates the button that takes out the whole table; null if that is not possible. */
  #takeOutTable(): HTMLButtonElement | null {
    const [{ takeOut }, outline] = [this.#edits(), this.#current];
    if (takeOut === null || outline === null || outline.hidden) return null;
    return button('Take the table out…', () => takeOut(outline.table, null), { class: 'edit' });
  }

  /** Creates the button that takes out a row. Without a key the rows of a table cannot be told apart. */
  #takeOutRow({ table, rowId }: Listed): HTMLButtonElement | null {
    const [{ takeOut }, outline] = [this.#edits(), this.#current];
    // guard: the page takes out the chosen row alone
    if (takeOut === null || outline === null || outline.key.length === 0) return null;
    return button('Take this row out…', () => takeOut(table, rowId), { 'data-edit': 'row' });
  }

  /** Takes out the open row. */
  takeOut(): void {
    this.#list.querySelector<HTMLButtonElement>('[data-edit=row]')?.click();
  }

  #drawNav(): void {
    const tables = this.#outline?.tables ?? [];
    fill(
      this.#nav,
      ...tables.map((outline) => {
        const { table, chunks } = outline;
        const entry = button(tableCell(table), () => this.open(table), {
          'aria-current': String(table === this.#pages?.table),
        });
        const { inserts, updates, deletes } = sumOf(chunks);
        const counts = [
          inserts > 0 ? `+${inserts}` : '',
          updates > 0 ? `~${updates}` : '',
          deletes > 0 ? `−${deletes}` : '',
        ];
        entry.append(h('span', { class: 'counts' }, counts.filter(Boolean).join(' ') || '»'));
        return entry;
      }),
    );
  }
}
