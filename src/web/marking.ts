/** The checkboxes by which rows and tables are marked as a part of a session. */
/// <reference lib="dom" />
import { tableCell } from '../client/cell.ts';
import type { PartMarks } from '../client/part-marks.ts';
import {
  isRowMarked,
  isTableMarked,
  noMarks,
  rowsToggled,
  tableToggled,
} from '../client/part-marks.ts';
import { rowPlace } from '../client/place-words.ts';
import type { Session } from '../model/session.ts';
import { h } from './dom.ts';
import type { Known } from './known.ts';
import type { Listed } from './rows.ts';
import { isAsBefore, isOpen } from './session-reads.ts';

/** The marks of a session, and whether the caller may set them. */
export interface Marking {
  readonly marks: PartMarks;
  readonly isPossible: boolean;
  set(marks: PartMarks): void;
}

/** Returns whether the caller may do something with a part in this state of the session. */
export function canMark({ session, operations }: Known): boolean {
  if (session.status === 'proposed') return operations.has('approveSession');
  return session.status === 'active' && operations.has('splitSession');
}

export const cleared = 'The marks are cleared, because they were of another diff.';

/** Returns the marks that still count in a session as it is now. @param before what the page knew of it */
export function marksIn(session: Session, before: Known | null): PartMarks {
  if (before === null) return noMarks;
  // guard: rows are marked on the page in the diff that is shown
  return isAsBefore(session, before.session) && isOpen(session) ? before.part : noMarks;
}

/** Creates the checkbox of a row; null if a row of its table cannot be marked. */
export function rowBox(
  change: Listed,
  hasKey: boolean,
  marking: () => Marking,
): HTMLLabelElement | null {
  // guard: the page marks the chosen row alone
  if (!marking().isPossible || !hasKey) return null;
  const isWhole = isTableMarked(marking().marks, change.table);
  return box(
    `Mark ${rowPlace(change)}`,
    isRowMarked(marking().marks, change),
    isWhole ? 'The whole table is marked' : 'key m',
    () => marking().set(rowsToggled(marking().marks, [change])),
  );
}

/** Creates the checkbox of a table; null if nothing can be marked. */
export function tableBox(table: string, marking: () => Marking): HTMLLabelElement | null {
  if (!marking().isPossible) return null;
  const toggle = () => marking().set(tableToggled(marking().marks, table));
  const made = box(`Mark all of ${tableCell(table)}`, false, 'key T', toggle);
  const input = made.querySelector('input');
  if (input) showTableMark(input, marking().marks, table);
  return made;
}

/** Shows whether a table is marked: as a whole, or some of its rows. */
export function showTableMark(input: HTMLInputElement, marks: PartMarks, table: string): void {
  input.checked = isTableMarked(marks, table);
  input.indeterminate = marks.has(table) && !input.checked;
}

function box(name: string, isMarked: boolean, title: string, toggle: () => void): HTMLLabelElement {
  const input = h('input', { type: 'checkbox', 'aria-label': name, title, change: toggle });
  input.checked = isMarked;
  return h('label', { class: 'mark' }, input);
}
