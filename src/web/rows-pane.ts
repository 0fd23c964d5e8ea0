/** The pane of rows: tables, pages of changes, and the open row. */
/// <reference lib="dom" />
import { isRowMarked, isTableMarked, tableToggled } from '../client/part-marks.ts';
import { changesHidden, countsInWords, triggersInWords } from '../client/words.ts';
import type { Brief } from '../model/brief.ts';
import type { ChangePage, Operation, Outline, TableOutline } from '../model/change.ts';
import { operations, stepCountsOf } from '../model/change.ts';
import type { Comment } from '../model/event.ts';
import { commentOn } from './decide.ts';
import { button, fill, h } from './dom.ts';
import type { Edits } from './edits.ts';
import { figuresOf } from './figures.ts';
import { faultOf } from './http.ts';
import type { Marking } from './marking.ts';
import { rowBox, showTableMark } from './marking.ts';
import type { Turn } from './pager.ts';
import { drawPager } from './pager.ts';
import type { Filter } from './pages.ts';
import { Pages } from './pages.ts';
import { commentItem } from './panes.ts';
import type { Listed } from './rows.ts';
import { detailOf, lineOf } from './rows.ts';
import { tableEntries } from './table-list.ts';

export class RowsPane {
  readonly #id: string;
  readonly #comments: () => readonly Comment[];
  readonly #afterComment: () => void;
  readonly #edits: () => Edits;
  readonly #marking: () => Marking;
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
    marking: () => Marking,
  ) {
    [this.#id, this.#comments, this.#afterComment] = [id, comments, afterComment];
    [this.#edits, this.#marking] = [edits, marking];
    this.#search.addEventListener('change', () => {
      this.#filter = { ...this.#filter, search: this.#search.value || undefined };
      if (this.#pages) this.open(this.#pages.table);
    });
    const main = h('div', { class: 'list' }, this.#about, this.#figures, this.#list, this.#pager);
    this.element.append(this.#nav, main);
  }

  /** Shows the first page of a table. */
  open(table: string): void {
    if (table !== this.#pages?.table) this.#clear();
    this.#pages = new Pages(this.#id, table, this.#filter);
    this.#page = null;
    this.#drawNav();
    this.#drawFigures();
    void this.#read();
  }

  /** Removes the lines of the former table, so that no key acts on them while the new ones are read. */
  #clear(): void {
    this.#opened = null;
    fill(this.#list);
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

  go(where: Turn): void {
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

  /** Returns the index of the line with the focus; -1 if there is none. */
  #focused(): number {
    const focus = document.activeElement;
    return this.#lines().findIndex(({ parentElement }) => parentElement?.contains(focus));
  }

  /** Closes the open row. Returns whether there was one. */
  close(): boolean {
    const open = this.#list.querySelector<HTMLButtonElement>('[aria-expanded=true]');
    open?.click();
    return open !== null;
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
      this.#page = page;
      if (!page.changes.some(({ rowId }) => rowId.text === this.#opened)) this.#opened = null;
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
      const box = rowBox(change, (outline?.key.length ?? 0) > 0, this.#marking);
      const line = lineOf(change, columns, { open: (row) => this.#toggle(line, row, page), box });
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
    this.showMarks();
  }

  #drawPager(length: number): void {
    if (this.#pages === null) return;
    const place = { pages: this.#pages, outline: this.#current, filter: this.#filter, length };
    const [go, nextFilter] = [(where: Turn) => this.go(where), () => this.nextFilter()];
    drawPager(this.#pager, this.#search, place, go, nextFilter);
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

  /** Creates the button that takes out a row. Without a key the rows of a table cannot be distinguished. */
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
    const current = this.#pages?.table;
    const open = (table: string) => this.open(table);
    fill(this.#nav, ...tableEntries(this.#outline?.tables ?? [], current, open, this.#marking));
  }

  /** Marks the focused row, and moves to the next one; or removes its mark. */
  toggleMark(): void {
    const line = this.#lines()[this.#focused()];
    const box = line?.parentElement?.querySelector<HTMLInputElement>('.mark input');
    if (!box || box.disabled) return;
    box.click();
    if (box.checked) this.move(1);
  }

  /** Marks the open table as a whole, or removes that mark. */
  toggleTable(): void {
    const table = this.#pages?.table;
    const { marks, isPossible, set } = this.#marking();
    if (table !== undefined && isPossible) set(tableToggled(marks, table));
  }

  /** Shows the marks in the checkboxes, without drawing the rows again. */
  showMarks(): void {
    const { marks } = this.#marking();
    const changes = this.#page?.changes ?? [];
    const boxes = this.#list.querySelectorAll<HTMLInputElement>('.mark input');
    for (const [at, change] of changes.entries()) {
      const box = boxes[at];
      if (box === undefined) break;
      box.checked = isRowMarked(marks, change);
      box.disabled = isTableMarked(marks, change.table);
    }
    const tables = this.#nav.querySelectorAll<HTMLInputElement>('.mark input');
    for (const [at, { table }] of (this.#outline?.tables ?? []).entries()) {
      const box = tables[at];
      if (box) showTableMark(box, marks, table);
    }
  }
}
