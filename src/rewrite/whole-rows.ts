/** Gives functions that take rows of a table such rows: those of the view that replaces the table have another type. */
import { qualifiedName, quoteIdentifier } from '../identifier.ts';
import { rowOfType, rowValue, takenOf } from '../overlay/functions/row-values.ts';
import type { WholeRow } from '../sql/locate/whole-rows.ts';
import type { Read } from '../sql/read.ts';
import type { Replacement } from '../sql/splice.ts';
import { isWithin } from '../sql/splice.ts';
import { systemColumns } from '../sql/system-columns.ts';
import type { Write } from '../sql/write.ts';
import type { CallReplacement, FunctionNames, Taking } from './function-names.ts';
import type { Rewrite } from './rewritten.ts';
import type { Named } from './stageable.ts';

/** A whole row of a table in a statement. */
interface TableRow extends WholeRow {
  readonly named: Named;
}

/**
 * Adds the replacements of whole rows that functions take to those of a statement.
 * @returns also whether the result lasts: a function that is created later may take rows
 */
export async function withRows(
  others: readonly CallReplacement[],
  body: Read | Write,
  named: readonly Named[],
  functions: Pick<FunctionNames, 'taking' | 'columnsGiven'>,
): Promise<Pick<Rewrite, 'replacements' | 'isLasting'>> {
  const found = tableRows(body, named);
  if (found.length === 0) return { replacements: others, isLasting: true };
  const given = await functions.columnsGiven(
    found.find(({ givers }) => givers.length > 0)?.givers ?? [],
  );
  // guard: a column of a function in FROM is not taken for a whole row
  const rows = found.filter(({ unless, alias }) => unless !== 'any column' || !given.has(alias));
  const taking = await functions.taking(
    rows.map(({ taker }) => taker),
    body.kind === 'read',
  );
  const whole = rows.flatMap((row, index) => {
    const staged = others.find(({ start, rows }) => start === row.call && rows !== undefined);
    const text = staged ? rowFor(row, staged.rows) : asTaken(row, taking[index]);
    return text === null ? [] : [{ start: row.start, end: row.end, text }];
  });
  // the schema of a table is replaced with the whole row that it qualifies
  const isQualifier = (each: Replacement) =>
    each.end > each.start && whole.some((row) => isWithin(each, row));
  const outside = others.filter((each) => !isQualifier(each));
  return { replacements: [...outside, ...whole], isLasting: false };
}

/** Returns the row for staged functions; null if they take none of its table. */
function rowFor(row: TableRow, rows: Taking['rows'] = []): string | null {
  const taken = takenOf(rows, row.named.meaning.oid ?? 0);
  return taken ? rowValue(asQueryRow(row), taken) : null;
}

/** Returns the row for functions that the statement calls themselves, or all of `t.f`; null if they take none. */
function asTaken(row: TableRow, taking?: Taking): string | null {
  const { call, taker, named } = row;
  if (!taking || taking.rows.length === 0) return null;
  const staged = call === null && taking.schema !== null ? rowFor(row, taking.rows) : null;
  if (staged !== null) return `${qualifiedName(taking.schema ?? '', taker.name)}(${staged})`;
  // those of the table have the type that the view in its place has not
  if (named.meaning.standIn.view === null) return null;
  const { use, meaning } = named;
  const names = meaning.columns.map((column) => column.name);
  const own = rowOfType(asQueryRow(row), names, qualifiedName(meaning.schema ?? '', use.name));
  return call === null ? `${own}.${quoteIdentifier(taker.name)}` : own;
}

const asQueryRow = ({ alias, isNullable, named }: TableRow) => ({
  alias,
  isNullable: isNullable && named.use.target === null,
});

function tableRows(body: Read | Write, named: readonly Named[]): TableRow[] {
  if (body.kind === 'write' && body.form !== 'query') return [];
  // MERGE and ON CONFLICT evaluate their parts elsewhere
  const apart = body.kind === 'write' ? body.upserts.map(({ clause }) => clause) : [];
  if (body.kind === 'write' && body.merges.length > 0) return [];
  return body.wholeRows.flatMap((row) => {
    const table = named.find(({ use }) => use.start === row.relation);
    if (!table) return [];
    if (apart.some((clause) => isWithin(row, clause)) || mayBeColumn(row, table, named)) return [];
    return [{ ...row, named: table }];
  });
}

/** Returns whether a name may be that of a column. The columns of a view are not known. */
function mayBeColumn({ unless, alias, taker }: WholeRow, table: Named, named: readonly Named[]) {
  const has = ({ meaning: { columns } }: Named, name: string) =>
    columns.length === 0 || columns.some((column) => column.name === name);
  // guard: a column is not taken for a whole row
  if (unless === 'any column' && named.some((each) => has(each, alias))) return true;
  if (unless === 'its column' && systemColumns.has(taker.name)) return true;
  return has(table, unless === 'its column' ? taker.name : '');
}
