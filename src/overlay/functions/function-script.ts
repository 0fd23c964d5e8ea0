/** The database objects of staged functions. */
import { setInternalPath } from '../../db/connection-settings.ts';
import type { Queryable } from '../../db/database.ts';
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { StageError } from '../../errors.ts';
import { qualifiedName, quoteIdentifier, quoteLiteral } from '../../identifier.ts';
import type { QualifiedName } from '../../sql/functions/calls.ts';
import { oidArray } from '../object-names.ts';
import { makeSchema } from '../schemas.ts';
import type { RecordedName } from './own-path.ts';
import type { Definer } from './owner-sql.ts';
import { ownerSql } from './owner-sql.ts';
import type { TakenRows } from './row-values.ts';
import { rowValueType } from './row-values.ts';

/** All functions of one name in one schema. */
export interface Definition {
  readonly namespace: number;
  readonly schema: string;
  readonly name: string;
  /** Whether none of them has a body to follow: they are the server's, or those of extensions that are compiled or immutable. */
  readonly isNative: boolean;
  readonly functions: readonly FunctionDefinition[];
}

export interface FunctionDefinition {
  readonly oid: number;
  readonly isProcedure: boolean;
  readonly isVolatile: boolean;
  /** Of a procedure: `void`, or the type of its only OUT argument; null if it has several. */
  readonly gives: string | null;
  readonly language: 'sql' | 'plpgsql';
  readonly obstacle: string | null;
  /** Those of the staged function. */
  readonly arguments: string;
  /** The rows of tables among them. */
  readonly rows: readonly TakenRows[];
  /** The defaults of arguments, as a list of expressions with full names; null if there are none. */
  readonly defaults: string | null;
  /** The types of users among those of the arguments and the result whose values are no rows, as these show them. */
  readonly scalars: readonly string[];
  /** The result type; null for rows of a table. */
  readonly result: string | null;
  readonly isSet: boolean;
  /** The relation whose rows it returns, if it does. */
  readonly row: (QualifiedName & { readonly relation: number }) | null;
  readonly options: string;
  /** The schemas of its SET search_path, in order; null without that clause. */
  readonly path: readonly string[] | null;
  /** Set for a function that runs with the rights of its owner. */
  readonly definer: Definer | null;
  readonly body: string;
}

export const hasDefiner = ({ functions }: Definition): boolean =>
  functions.some(({ definer }) => definer !== null);

/** The names found while bodies are followed. */
export interface FoundUses {
  readonly relations: RecordedName[];
  readonly functions: RecordedName[];
  /** Whether a function that is called reads production, because it is not staged. */
  readsProduction?: boolean;
}

/** The reason why functions have no staged functions. */
export class Obstacle extends Error {}

/**
 * Returns the reason why functions have no staged functions.
 * @throws an error that is not due to the functions themselves
 */
export function reasonOf(error: Error): string {
  const { code = '' } = error as { code?: string };
  const isTheirs = error instanceof Obstacle || /^(42|22|0A|2B)/.test(code);
  if (isTheirs || (error instanceof StageError && code === 'statement_not_supported'))
    return error.message;
  throw error;
}

/**
 * Creates staged functions in a schema of their own.
 * @throws Obstacle, or PostgreSQL's errors
 */
export async function createStagedFunctions(
  tx: Queryable,
  schema: string,
  scripts: readonly string[],
  path: readonly number[],
): Promise<void> {
  const shown = await shownPath(tx, path);
  await makeSchema(tx, schema);
  await tx.query(`SET LOCAL search_path = ${shown}`);
  for (const script of scripts) await tx.query(script);
  await tx.query(setInternalPath);
  await refuseDependent(tx, schema);
}

/**
 * Returns the script that creates a staged function. Rows of a table are taken and returned in an internal type, so that nothing depends on
 * the table's type.
 */
export function scriptFor(
  { rows, row, isSet, path, ...each }: FunctionDefinition,
  name: string,
  schema: string,
  body: string,
): string[] {
  const { definer } = each;
  // its beginning takes a lock, which no parallel worker may
  const rights = definer === null ? '' : 'SECURITY DEFINER';
  const settings = `${rights} ${path === null ? '' : `SET search_path = ${shownSchemas(path)}`}`;
  const give = definer === null ? [] : ownerSql(each, definer, name, schema);
  if (each.isProcedure) {
    const { arguments: parameters, language } = each;
    const parts = { arguments: parameters, language, settings, body: quoteLiteral(body) };
    const procedure = qualifiedName(schema, name);
    const make = fillSql(loadSql('table/functions/staged_procedure.sql'), { procedure, ...parts });
    return [make, ...give];
  }
  const relations = [...rows, ...(row === null ? [] : [row])].map(({ relation }) => relation);
  const options =
    definer === null ? each.options : each.options.replace(/PARALLEL \w+/, 'PARALLEL UNSAFE');
  const create = fillSql(loadSql('table/functions/staged_function.sql'), {
    function: qualifiedName(schema, name),
    arguments: each.arguments,
    result: each.result ?? `${isSet ? 'SETOF ' : ''}${row && rowValueType(row.relation)}`,
    language: each.language,
    options: `${options} ${settings}`,
    body: quoteLiteral(body),
  });
  return [...relations.map((oid) => `SELECT stage.make_row_value(${oid})`), create, ...give];
}

/** Returns the names of schemas as SET takes them. */
export const shownSchemas = (names: readonly string[]) => names.map(quoteIdentifier).join(', ');

/**
 * Returns `name(arguments) RETURNS result` for the parser, also for a procedure. Enums, domains and the like are text in it:
 * the parser takes unknown types for those of rows.
 * @param row the type of rows
 */
export function headOf(each: FunctionDefinition, name: string, row: string): string {
  const rows = `${each.isSet ? 'SETOF ' : ''}${row}`;
  const result = each.isProcedure ? (each.gives ?? row) : (each.result ?? rows);
  const shown = each.scalars.reduce(
    (text, type) => text.replace(afterWord(type), type.endsWith('[]') ? 'text[]' : 'text'),
    `(${each.arguments}) RETURNS ${result}`,
  );
  return quoteIdentifier(name) + shown;
}

/** Matches a type's name where it comes behind another word: the name of an argument, its mode, or RETURNS. */
const afterWord = (type: string) =>
  new RegExp(`(?<=[\\w"] )${type.replace(/[^\w ]/g, '\\$&')}(?![\\w".[])`, 'g');

/**
 * Returns the search path as SQL.
 * @throws Obstacle if pg_catalog is not first in it, because other names could then hide those that the service uses
 */
async function shownPath(tx: Queryable, path: readonly number[]): Promise<string> {
  const rows = await tx.query(
    `SELECT n.nspname AS name FROM unnest($1::oid[]) WITH ORDINALITY p(oid, place) JOIN pg_namespace n ON n.oid = p.oid ORDER BY p.place`,
    [oidArray(path)],
  );
  const names = rows.map(({ name }) => String(name));
  if (names[0] !== 'pg_catalog') throw new Obstacle('pg_catalog does not come first');
  return shownSchemas(names);
}

/**
 * Sets the transaction's search path.
 * @throws Obstacle as `shownPath` does
 */
export async function findNamesIn(tx: Queryable, path: readonly number[]): Promise<void> {
  // guard: names of the service's own query are not found in schemas of users
  await tx.query(setInternalPath);
  await tx.query(`SET LOCAL search_path = ${await shownPath(tx, path)}`);
}

/**
 * Checks that the staged functions of a schema depend on no other objects that a migration may alter, but for types, as shadow tables do.
 * @throws Obstacle if one does
 */
async function refuseDependent(tx: Queryable, schema: string): Promise<void> {
  const [found] = await tx.query(
    `SELECT pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid) AS object
     FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid
     WHERE d.classid = 'pg_proc'::regclass AND p.pronamespace = to_regnamespace($1) AND d.deptype = 'n'
       AND d.refclassid NOT IN ('pg_namespace'::regclass, 'pg_language'::regclass)
       AND NOT EXISTS (SELECT FROM pg_type t WHERE d.refclassid = 'pg_type'::regclass AND t.oid = d.refobjid
         AND (t.typnamespace = to_regnamespace($1) OR stage.type_obstacle(t.oid) IS NULL))
     LIMIT 1`,
    [schema],
  );
  if (found !== undefined) throw new Obstacle(`depends on ${found['object']}`);
}
