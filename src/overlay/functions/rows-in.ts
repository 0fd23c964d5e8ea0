/** Gives functions that a body calls the rows of tables that they take. */
import type { Queryable } from '../../db/database.ts';
import { qualifiedName, quoteIdentifier } from '../../identifier.ts';
import type { BodyUses } from '../../sql/functions/body-uses.ts';
import type { QualifiedName } from '../../sql/functions/calls.ts';
import type { WholeRow } from '../../sql/locate/whole-rows.ts';
import type { Replacement } from '../../sql/splice.ts';
import { isWithin } from '../../sql/splice.ts';
import { systemColumns } from '../../sql/system-columns.ts';
import { oidArray } from '../object-names.ts';
import type { Definition } from './function-script.ts';
import { Obstacle } from './function-script.ts';
import type { Known, OwnFunctions } from './known-functions.ts';
import { oidNamed } from './named-source.ts';
import type { Lookup } from './own-path.ts';
import { rowOfType, rowValue, rowValueType, takenOf } from './row-values.ts';

interface Context extends Lookup {
  readonly tx: Queryable;
}

/** Functions that a body calls, and the schema of those in their place; null if there are none. */
export interface Called extends Pick<Definition, 'functions'> {
  readonly schema: string | null;
}

interface CalledIn {
  /** Those that the body calls by name, by the places of the names. */
  readonly called: ReadonlyMap<number, Called>;
  /** Finds functions that stand behind a dot. */
  readonly find: (name: QualifiedName) => Promise<Called | null>;
}

/** A relation that a body names. */
interface Relation extends QualifiedName {
  readonly oid: number;
  readonly columns: readonly string[];
}

/** Returns the replacements of the whole rows in a body, and the others apart from those that stand within these. */
export async function withBodyRows(
  context: Context,
  body: BodyUses,
  others: readonly Replacement[],
  calls: CalledIn,
): Promise<Replacement[]> {
  const variables = await rowVariables(context, body, [...calls.called.values()]);
  if (body.wholeRows.length === 0) return [...others, ...variables];
  const relations = new Map<number, Relation>();
  for (const use of body.relations) {
    const relation = await relationNamed(context, use);
    if (relation !== null) relations.set(use.start, relation);
  }
  const given = await columnsGiven(context, body.wholeRows);
  const columns = new Set([...given, ...[...relations.values()].flatMap((each) => each.columns)]);
  const rows: Replacement[] = [];
  for (const row of body.wholeRows) {
    const relation = relations.get(row.relation);
    if (relation === undefined) continue;
    if (mayBeColumn(row, relation.columns, columns)) continue;
    const { start, end, call, taker } = row;
    const found = call === null ? await calls.find(taker) : (calls.called.get(call) ?? null);
    const text = found && textOf(row, relation, found);
    if (text !== null) rows.push({ start, end, text });
  }
  // the schema of a table is replaced with the row that it qualifies
  const outside = others.filter((each) => !rows.some((row) => isWithin(each, row)));
  return [...outside, ...variables, ...rows];
}

/**
 * Returns the replacements of the types of variables, so that these hold the rows that the called functions take.
 * @throws Obstacle if other functions take rows of the table itself
 */
async function rowVariables(
  { tx, path }: Context,
  body: BodyUses,
  called: readonly Called[],
): Promise<Replacement[]> {
  const taken = (isStaged: boolean) =>
    called
      .filter(({ schema }) => (schema !== null) === isStaged)
      .flatMap(({ functions }) => functions.flatMap(({ rows }) => rows));
  const [staged, unstaged] = [taken(true), taken(false)];
  const replacements: Replacement[] = [];
  for (const { start, end, ...name } of staged.length > 0 ? body.declared : []) {
    const [row] = await tx.query('SELECT stage.row_named($1, $2) AS relation', [
      JSON.stringify(name),
      oidArray(path),
    ]);
    const relation = Number(row?.['relation'] ?? 0);
    if (!staged.some((each) => each.relation === relation)) continue;
    // guard: rows for staged functions are passed to none that takes those of the table
    if (unstaged.some((each) => each.relation === relation)) throw new Obstacle(handsOn);
    replacements.push({ start, end, text: rowValueType(relation) });
  }
  return replacements;
}

const handsOn = 'hands rows of tables on';

/** Returns the names of the columns that functions in FROM may give. */
async function columnsGiven({ tx, path }: Context, rows: readonly WholeRow[]): Promise<string[]> {
  const givers = rows.flatMap((row) => row.givers);
  if (givers.length === 0) return [];
  const [row] = await tx.query(
    `SELECT stage.columns_given($1, ARRAY(SELECT n.nspname FROM pg_namespace n WHERE n.oid = ANY ($2::oid[]))) AS names`,
    [JSON.stringify(givers), oidArray(path)],
  );
  return JSON.parse(row?.['names'] ?? '[]') as string[];
}

async function relationNamed({ tx, path }: Context, use: QualifiedName): Promise<Relation | null> {
  const oid = await oidNamed({ tx, path }, use);
  if (oid === null) return null;
  const [row] = await tx.query(
    `SELECT n.nspname AS schema, c.relname AS name,
       (SELECT json_agg(a.attname ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = $1`,
    [oid],
  );
  const columns = JSON.parse(row?.['columns'] ?? '[]') as string[];
  return { oid, schema: row?.['schema'] ?? null, name: row?.['name'] ?? '', columns };
}

function mayBeColumn(
  { unless, alias, taker }: WholeRow,
  columns: readonly string[],
  all: ReadonlySet<string>,
): boolean {
  // guard: a column in a body is not taken for a whole row
  if (unless === 'any column') return all.has(alias);
  if (unless !== 'its column') return false;
  return systemColumns.has(taker.name) || columns.includes(taker.name);
}

/** Returns the row for functions that take it, or all of `t.f`; null if they take none of its table. */
function textOf(row: WholeRow, relation: Relation, { functions, schema }: Called): string | null {
  const taken = takenOf(
    functions.flatMap(({ rows }) => rows),
    relation.oid,
  );
  if (taken === undefined) return null;
  const { call, taker } = row;
  if (schema !== null) {
    const value = rowValue(row, taken);
    return call === null ? `${qualifiedName(schema, taker.name)}(${value})` : value;
  }
  const type = qualifiedName(relation.schema ?? '', relation.name);
  const own = rowOfType(row, relation.columns, type);
  return call === null ? `${own}.${quoteIdentifier(taker.name)}` : own;
}

/** Returns functions with the schema of those that a body calls in their place. */
export function calledAs(
  { leavesOwners }: { readonly leavesOwners?: boolean },
  known: Known,
): Called {
  const { functions, uses } = known;
  const schema = leavesOwners ? known.leaving : known.schema;
  const takesRows = functions.some(({ rows }) => rows.length > 0);
  return { functions, schema: uses.computes && !takesRows ? null : schema };
}

/**
 * Checks what the functions of a body, or the body itself, hand on.
 * @throws Obstacle if that includes rows of staged functions for functions that are not staged
 */
export function demandSameRows(
  { own }: { readonly own?: OwnFunctions },
  called: readonly Called[],
): void {
  const takesRows = ({ functions }: Pick<Known, 'functions'>) =>
    functions.some(({ rows }) => rows.length > 0);
  const hasRows =
    (own !== undefined && takesRows(own.known)) ||
    called.some(({ schema, functions }) => schema !== null && functions.some(({ row }) => row));
  // guard: rows of staged functions are passed to none that takes those of the table
  if (hasRows && called.some((each) => each.schema === null && takesRows(each)))
    throw new Obstacle(handsOn);
}
