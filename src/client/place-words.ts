/** Names rows that prevent an operation: those in conflict, and those that depend on others. */
import type { StageError } from '../errors.ts';
import type { Conflict } from '../model/conflict.ts';
import type { RowReport } from '../model/edits.ts';
import { JsonText } from '../model/json.ts';
import { elementsOf } from '../model/json-members.ts';
import { deletedRow, keyCell, nameCell, noRow, tableCell } from './cell.ts';
import { readConflict } from './decode.ts';
import { readRow } from './edits.ts';
import type { Value } from './values.ts';
import { columnCell, sidesOf } from './values.ts';
import { conflictInWords, hiddenInWords, ignoredInWords } from './words.ts';

/** Names a row by its table and key. */
export const rowPlace = ({ table, rowId }: Pick<RowReport, 'table' | 'rowId'>) =>
  `${tableCell(table)} ${rowId === null ? hiddenInWords : keyCell(rowId)}`;

/** Returns the conflicts that an error reports. */
export function conflictsOf({ facts }: StageError): readonly Conflict[] {
  const conflicts = facts['conflicts'];
  return conflicts instanceof JsonText ? elementsOf(conflicts).map(readConflict) : [];
}

/** Names the row that a conflict is about. */
export const conflictPlace = ({ table, rowId }: Conflict) =>
  `${tableCell(table)} ${keyCell(rowId)}`;

/** Describes one conflict: where it is, and the values of its three sides. */
export function conflictLine(conflict: Conflict): string {
  const place = conflictPlace(conflict);
  if (conflict.kind === 'schema') return `${schemaPlace(conflict)}: ${conflictInWords(conflict)}`;
  if (conflict.field === null) return `${place}: ${conflictInWords(conflict)}`;
  const [base, staged, production] = conflictSides(conflict);
  const mark = conflict.ignored ? `${ignoredInWords}; ` : '';
  return `${place} ${nameCell(conflict.field)}: ${mark}was ${base}, staged ${staged}, in production ${production}`;
}

/** Names the table or column that has changed. */
const schemaPlace = ({ table, field }: Conflict) =>
  field === null ? tableCell(table) : `${tableCell(table)} ${nameCell(field)}`;

/**
 * Returns the base, session and production values of a conflict as cells. A side without the row states that; an irrelevant side is empty.
 * @param show formats a value
 */
export function conflictSides(
  conflict: Conflict,
  show: (value: Value) => string = columnCell,
): [string, string, string] {
  const [base, staged, current] = sidesOf(conflict);
  const cell = (value: Value | undefined, missing: string) => (value ? show(value) : missing);
  if (conflict.kind === 'schema' || conflict.hidden) return ['', '', ''];
  // the session has not touched the row
  if (conflict.kind === 'cascade') return ['', '', cell(current, noRow)];
  return [cell(base, noRow), cell(staged, deletedRow), cell(current, noRow)];
}

const mostDependents = 20;

/** Lists the dependent rows that an error reports; empty for other errors. */
export function dependentLines({ facts }: StageError): string[] {
  const { dependents, dependents_count: count } = facts;
  if (!(dependents instanceof JsonText)) return [];
  const rows = elementsOf(dependents).map(readRow).slice(0, mostDependents);
  const more = Number(count instanceof JsonText ? count.text : 0) - rows.length;
  return [...rows.map(rowPlace), ...(more > 0 ? [`and ${more} more`] : [])];
}
