/** Describes a rehearsal: what would be applied, what else would change, and what prevents approval. */
import type { Change, Operation } from '../model/change.ts';
import { JsonText } from '../model/json.ts';
import { membersOf } from '../model/json-members.ts';
import { keyCell, nameCell, tableCell, valueCell } from './cell.ts';
import { differencesInWords } from './differences.ts';
import { conflictLine } from './place-words.ts';
import type { RehearsalReport } from './rehearsal.ts';
import { sanitize } from './sanitize.ts';
import type { Signs } from './signs.ts';
import { unicodeSigns } from './signs.ts';

/** A line of text and its category: a change beyond the session's, the outcome, or a possible objection to approval. */
export interface RehearsalLine {
  readonly about: Operation | 'outcome' | 'objection';
  readonly text: string;
}

/** The counts of a table; null if operations were not counted. */
interface TableCounts {
  readonly table: string;
  readonly inserts: number | null;
  readonly updates: number | null;
  readonly deletes: number | null;
}

const line = (about: RehearsalLine['about']) => (text: string) => ({ about, text });

/** Returns the lines of a rehearsal without its conflicts and warnings. All text of the database in them is escaped. */
export function rehearsalLines(report: RehearsalReport, signs = unicodeSigns): RehearsalLine[] {
  const { failure, wouldLand } = report;
  if (failure !== null) return failureLines(failure).map(line('objection'));
  if (wouldLand === null) return [];
  const also = report.sideEffects ?? [];
  const tables = wouldLand.map(countsText).join(', ');
  const landing = landingText(wouldLand);
  return [
    line('outcome')(rowsOf(wouldLand) === 0 ? landing : `${landing}: ${tables}`),
    ...(also.length > 0
      ? [line('outcome')(`triggers would also change: ${also.map(countsText).join(', ')}`)]
      : []),
    ...also.flatMap(({ table, changes }) =>
      changes.map((change) => line(change.type)(changeLine(table, change, signs))),
    ),
    ...(report.differs ?? [])
      .flatMap((table) => differingLines(table, signs))
      .map(line('objection')),
    ...triggerLines(report).map(line('objection')),
  ];
}

function triggerLines({ ok, differences }: RehearsalReport): string[] {
  if (differences === null) return [];
  const stopped = ok ? '' : ': approval would be refused';
  return [`triggers would set ${differencesInWords(differences)}${stopped}`];
}

/** Returns the lines of its conflicts. A single conflict prevents the approval. */
export const conflictLines = ({ conflicts }: RehearsalReport): RehearsalLine[] =>
  conflicts.map((conflict) => line('objection')(conflictLine(conflict)));

/** Returns the lines of the changes in ignored columns. */
export const ignoredLines = ({ ignored }: RehearsalReport): RehearsalLine[] =>
  ignored.map((conflict) => line('UPDATE')(conflictLine(conflict)));

/** Returns the heading of the conflicts. */
export const nothingWouldLand = ({ conflicts }: RehearsalReport): RehearsalLine =>
  line('outcome')(`nothing would land: ${counted(conflicts.length, 'conflict')} with production`);

/** Returns the lines of its warnings: effects that the rollback did not undo, and checks that could not be made. */
export const warningLines = ({ warnings }: RehearsalReport): RehearsalLine[] =>
  warnings.map((warning) => line('objection')(`warning: ${sanitize(warning)}`));

/** Summarizes a rehearsal in one line: `rehearsed: would land 2 rows; triggers change 2 rows in 2 tables`, `rehearsal failed: ...`. */
export function rehearsalInWords(report: RehearsalReport): string {
  const { failure, conflicts, wouldLand, sideEffects, differs, warnings } = report;
  if (conflicts.length > 0)
    return `rehearsal failed: ${counted(conflicts.length, 'conflict')} with production`;
  if (failure !== null)
    return `rehearsal failed: ${refusalText(failure)} (${refusedPlace(failure)})`;
  const differing = (differs ?? []).reduce((sum, { count }) => sum + count, 0);
  return [
    `rehearsed: ${landingText(wouldLand ?? [])}`,
    ...(sideEffects === null ? ['not known what triggers change'] : sideEffectsText(sideEffects)),
    ...(differing > 0 ? [`${counted(differing, 'row')} other than staged`] : []),
    ...(warnings.length > 0 ? [counted(warnings.length, 'warning')] : []),
  ].join('; ');
}

function sideEffectsText(effects: readonly TableCounts[]): string[] {
  if (effects.length === 0) return [];
  const all = effects.every(({ inserts }) => inserts !== null);
  const rows = all ? counted(rowsOf(effects), 'row') : 'rows';
  return [`triggers change ${rows} in ${counted(effects.length, 'table')}`];
}

const landingText = (counts: readonly TableCounts[]) =>
  `would land ${counted(rowsOf(counts), 'row')}`;

const rowsOf = (counts: readonly TableCounts[]) =>
  counts.reduce(
    (sum, { inserts, updates, deletes }) => sum + (inserts ?? 0) + (updates ?? 0) + (deletes ?? 0),
    0,
  );

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Formats counts: `price_log +2`, `touched ~1 -1`, or `log (not counted)`. */
function countsText({ table, inserts, updates, deletes }: TableCounts): string {
  if (inserts === null) return `${tableCell(table)} (not counted)`;
  const part = (sign: string, count: number | null) => (count ? ` ${sign}${count}` : '');
  return tableCell(table) + part('+', inserts) + part('~', updates) + part('-', deletes);
}

const signs = { INSERT: '+', UPDATE: '~', DELETE: '-' } as const;

function changeLine(table: string, { type, rowId, before, after }: Change, used: Signs): string {
  const key = rowId.text === 'null' ? '' : ` ${keyCell(rowId)}`;
  return `  ${signs[type]} ${tableCell(table)}${key}  ${cellsOf(before, after, used)}`;
}

/** Formats the columns that differ, as `price 9.50 → 12.00`; all columns if a side is missing. */
function cellsOf(before: JsonText | null, after: JsonText | null, { arrow }: Signs): string {
  const old = membersOf(before ?? new JsonText('{}'));
  const now = membersOf(after ?? new JsonText('{}'));
  const names = [...new Set([...old.keys(), ...now.keys()])];
  return names
    .flatMap((name) => {
      const [was, is] = [old.get(name), now.get(name)];
      if (was === undefined || is === undefined)
        return [`${nameCell(name)} ${valueCell(was ?? is ?? new JsonText('null'))}`];
      return was.text === is.text
        ? []
        : [`${nameCell(name)} ${valueCell(was)} ${arrow} ${valueCell(is)}`];
    })
    .join('  ');
}

function differingLines(
  { table, count, rows }: NonNullable<RehearsalReport['differs']>[number],
  used: Signs,
): string[] {
  const lines = rows.map(({ rowId, staged, lands }) => {
    const cells = lands === null ? 'is not there afterwards' : cellsOf(staged, lands, used);
    return `  ! ${tableCell(table)} ${keyCell(rowId)}  ${cells}`;
  });
  return [`${tableCell(table)}: ${counted(count, 'row')} would become other than staged`, ...lines];
}

type Failure = NonNullable<RehearsalReport['failure']>;

function failureLines(failure: Failure): string[] {
  const { detail } = failure;
  return [
    `production would refuse the changes: ${refusalText(failure)}`,
    ...(detail === null ? [] : [`  ${sanitize(detail)}`]),
    `  ${refusedPlace(failure)}`,
  ];
}

const refusalText = ({ message }: Failure) =>
  message === null ? 'its words are hidden from your token' : sanitize(message);

function refusedPlace({ sqlstate, table, constraint, row }: Failure): string {
  const place = [
    table && tableCell(table),
    row && `row ${keyCell(row)}`,
    constraint && `constraint ${nameCell(constraint)}`,
    `SQLSTATE ${sqlstate}`,
  ];
  return place.filter(Boolean).join(', ');
}
