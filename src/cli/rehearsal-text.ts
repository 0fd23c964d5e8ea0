/** A rehearsal as text: what would land, what else would change, what stands in the way. */
import { keyCell, nameCell, tableCell, valueCell } from '../client/cell.ts';
import { membersOf } from '../client/fields.ts';
import type { RehearsalReport, TableCounts } from '../client/rehearsal.ts';
import { sanitize } from '../client/sanitize.ts';
import type { Change } from '../model/change.ts';
import { JsonText } from '../model/json.ts';

/** Lines that tell all of it but the conflicts. Nothing in them comes raw from the database. */
export function rehearsalLines(told: RehearsalReport): string[] {
  const { failure, wouldLand } = told;
  if (failure !== null) return failureLines(failure);
  if (wouldLand === null) return [];
  const also = told.sideEffects ?? [];
  const rows = wouldLand.reduce(
    (sum, { inserts, updates, deletes }) => sum + inserts + updates + deletes,
    0,
  );
  return [
    `would land ${rows} row${rows === 1 ? '' : 's'}${rows === 0 ? '' : `: ${wouldLand.map(countsText).join(', ')}`}`,
    ...(also.length > 0 ? [`triggers would also change: ${also.map(countsText).join(', ')}`] : []),
    ...also.flatMap(({ table, changes }) => changes.map((change) => changeLine(table, change))),
    ...told.differs.flatMap(differingLines),
  ];
}

/** `price_log +2`, `touched ~1 -1`; of a table in which nobody counts `log (not counted)`. */
function countsText({ table, inserts, updates, deletes, isCounted }: TableCounts): string {
  const parts = [
    inserts > 0 ? ` +${inserts}` : '',
    updates > 0 ? ` ~${updates}` : '',
    deletes > 0 ? ` -${deletes}` : '',
  ];
  return tableCell(table) + (isCounted ? parts.join('') : ' (not counted)');
}

const signs = { INSERT: '+', UPDATE: '~', DELETE: '-' } as const;

function changeLine(table: string, { type, rowId, before, after }: Change): string {
  const key = rowId.text === 'null' ? '' : ` ${keyCell(rowId)}`;
  return `  ${signs[type]} ${tableCell(table)}${key}  ${cellsOf(before, after)}`;
}

/** The columns that differ, as `price 9.50 → 12.00`; of a row that has no other side, all of them. */
function cellsOf(before: JsonText | null, after: JsonText | null): string {
  const old = membersOf(before ?? new JsonText('{}'));
  const now = membersOf(after ?? new JsonText('{}'));
  const names = [...new Set([...old.keys(), ...now.keys()])];
  return names
    .flatMap((name) => {
      const [was, is] = [old.get(name), now.get(name)];
      if (was === undefined || is === undefined)
        return [`${nameCell(name)} ${valueCell(was ?? is ?? new JsonText('null'))}`];
      return was.text === is.text ? [] : [`${nameCell(name)} ${valueCell(was)} → ${valueCell(is)}`];
    })
    .join('  ');
}

function differingLines({ table, count, rows }: RehearsalReport['differs'][number]): string[] {
  const lines = rows.map(({ rowId, staged, lands }) => {
    const cells = lands === null ? 'is not there afterwards' : cellsOf(staged, lands);
    return `  ! ${tableCell(table)} ${keyCell(rowId)}  ${cells}`;
  });
  return [
    `${tableCell(table)}: ${count} row${count === 1 ? '' : 's'} would become other than staged`,
    ...lines,
  ];
}

function failureLines(failure: NonNullable<RehearsalReport['failure']>): string[] {
  const { sqlstate, message, detail, table, constraint, row } = failure;
  const place = [
    table && tableCell(table),
    row && `row ${keyCell(row)}`,
    constraint && `constraint ${nameCell(constraint)}`,
    `SQLSTATE ${sqlstate}`,
  ];
  return [
    `production would refuse the changes: ${message === null ? 'its words are hidden from your token' : sanitize(message)}`,
    ...(detail === null ? [] : [`  ${sanitize(detail)}`]),
    `  ${place.filter(Boolean).join(', ')}`,
  ];
}
