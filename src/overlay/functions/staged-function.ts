/**
 * Staged functions: the same bodies, reading overlays in place of tables. The bodies are analysed as text, under the search path of the
 * call. So only functions in SQL and PL/pgSQL that only read, with their callers' rights, have staged functions.
 */
import type { Queryable } from '../../db/database.ts';
import { qualifiedName, quoteIdentifier } from '../../db/identifier.ts';
import { StageError } from '../../errors.ts';
import { standInSchema } from '../../model/own-schemas.ts';
import type { BodyUses, FunctionBody } from '../../sql/functions/body-uses.ts';
import type { QualifiedName } from '../../sql/functions/calls.ts';
import { readBodyAnywhere } from '../../sql/functions/function-body.ts';
import type { RelationUse } from '../../sql/places.ts';
import type { Replacement } from '../../sql/splice.ts';
import { generationOn } from '../install/generation.ts';
import { oidArray } from '../object-names.ts';
import { completedGroupings } from '../views/dependent-columns.ts';
import { sourceFor } from '../views/staged-view.ts';
import type { Source } from '../views/table-source.ts';
import type { Definition, FunctionDefinition } from './function-script.ts';
import { createStagedFunctions, headOf, Obstacle, scriptFor } from './function-script.ts';

interface Uses {
  readonly relations: readonly QualifiedName[];
  readonly functions: readonly QualifiedName[];
}

/** The names found while bodies are followed. */
export interface FoundUses {
  readonly relations: QualifiedName[];
  readonly functions: QualifiedName[];
}

/** What is known of the functions of a name. */
interface Known extends StagedFunctions {
  readonly takesRows: boolean;
  readonly givesRows: boolean;
}

interface StagedFunctions {
  /** The schema of the staged functions; null where there are none. */
  readonly schema: string | null;
  readonly uses: Uses;
}

export interface Context {
  readonly tx: Queryable;
  readonly path: readonly number[];
  readonly server: number;
  /** Functions whose bodies are being followed. */
  readonly open: ReadonlySet<string>;
}

/** The maximum depth of calls, more than applications use. */
const maxDepth = 16;

/** Ensures that the functions of a name have current staged functions, or that the reason why they have none is recorded. */
export async function ensureStagedFunction(
  tx: Queryable,
  name: QualifiedName,
  path: readonly number[],
  server: number,
): Promise<void> {
  await follow({ tx, path, server, open: new Set() }, name);
}

/**
 * Reads or creates the staged functions of a name, and follows the calls in them.
 * @throws Obstacle where they call themselves
 */
async function follow(context: Context, called: QualifiedName): Promise<Known | null> {
  const { tx, path } = context;
  const [row] = await tx.query('SELECT stage.function_definition($1, $2) AS definition', [
    JSON.stringify({ schema: called.schema, name: called.name }),
    oidArray(path),
  ]);
  if (row?.['definition'] == null) return null;
  const definition = JSON.parse(row['definition']) as Definition;
  if (definition.isServers) return null;
  const key = qualifiedName(definition.schema, definition.name);
  if (context.open.has(key)) throw new Obstacle('calls itself');
  if (context.open.size > maxDepth) throw new Obstacle('calls others too deep');
  const open = new Set([...context.open, key]);
  const staged =
    (await readStagedFunctions(context, definition)) ??
    (await make({ ...context, open }, definition, called));
  return { ...definition, ...staged };
}

async function readStagedFunctions(
  { tx, path }: Context,
  { namespace, name }: Definition,
): Promise<StagedFunctions | null> {
  const [row] = await tx.query(
    `SELECT uses, CASE WHEN obstacle IS NULL THEN id END AS id
     FROM stage.staged_function WHERE namespace = $1 AND name = $2 AND path = $3`,
    [namespace, name, oidArray(path)],
  );
  if (row === undefined) return null;
  const id = row['id'] ?? null;
  return {
    schema: id === null ? null : standInSchema('function', id),
    uses: JSON.parse(row['uses'] ?? '{}') as Uses,
  };
}

async function make(
  context: Context,
  definition: Definition,
  called: QualifiedName,
): Promise<StagedFunctions> {
  const { tx, path, server } = context;
  const [row] = await tx.query(
    'INSERT INTO stage.staged_function (namespace, name, path, generation) VALUES ($1, $2, $3, $4) RETURNING id',
    [definition.namespace, definition.name, oidArray(path), generationOn(server)],
  );
  const schema = standInSchema('function', String(row?.['id']));
  const uses: FoundUses = { relations: [], functions: [nameOf(called)] };
  await tx.query('SAVEPOINT staged_function');
  const obstacle = await build(context, definition, schema, uses).then(
    () => null,
    (error: Error) => reasonOf(error),
  );
  if (obstacle !== null) await tx.query('ROLLBACK TO SAVEPOINT staged_function');
  await tx.query('RELEASE SAVEPOINT staged_function');
  await tx.query(
    `UPDATE stage.staged_function SET uses = $2, stamp = stage.function_stamp($2, path), obstacle = $3 WHERE id = $1`,
    [row?.['id'] ?? null, JSON.stringify(distinct(uses)), obstacle],
  );
  return { schema: obstacle === null ? schema : null, uses: distinct(uses) };
}

/**
 * Returns the reason why functions have no staged functions.
 * @throws an error that is not due to the functions themselves
 */
function reasonOf(error: Error): string {
  const { code = '' } = error as { code?: string };
  const isTheirs = error instanceof Obstacle || /^(42|22|0A|2B)/.test(code);
  if (isTheirs || (error instanceof StageError && code === 'statement_not_supported'))
    return error.message;
  throw error;
}

/**
 * Creates the staged functions.
 * @param uses collects the names that the functions use
 * @throws Obstacle, or PostgreSQL's errors
 */
async function build(
  context: Context,
  { name, functions }: Definition,
  schema: string,
  uses: FoundUses,
): Promise<void> {
  const { tx, path } = context;
  const bodies: [FunctionDefinition, FunctionBody][] = [];
  for (const each of functions) {
    if (each.obstacle !== null) throw new Obstacle(each.obstacle);
    const body = await readBodyAnywhere({ ...each, head: headOf(each, name, 'record') });
    if (body === null) throw new Obstacle('does more than read, or cannot be followed');
    bodies.push([each, body]);
  }
  const scripts: string[] = [];
  let isStaged = false;
  for (const [each, body] of bodies) {
    const replacements = await replacementsIn(context, body.uses, uses);
    isStaged ||= replacements.length > 0;
    if (each.row) uses.relations.push(nameOf(each.row));
    const text = await body.replaced(replacements);
    if (text === null) throw new Obstacle('cannot be followed');
    scripts.push(...scriptFor(each, name, schema, text.toString()));
  }
  if (!isStaged) throw new Obstacle('reads nothing that can be staged');
  await createStagedFunctions(tx, schema, scripts, path);
}

/**
 * Makes the replacements of the relations and functions that a body names, and returns the texts that replace the names.
 * @param uses gets what the body names
 * @throws Obstacle, or StageError for a relation that cannot be read with staged rows
 */
export async function replacementsIn(
  context: Context,
  body: BodyUses,
  uses: FoundUses,
): Promise<Replacement[]> {
  const replacements: Replacement[] = [];
  const sources = new Map<string, Source>();
  for (const use of body.relations) {
    // a relation that an INSERT only writes to needs no right to be read
    if (!('target' in use) || use.target === null) uses.relations.push(nameOf(use));
    const source = await sourceOf(context, use, sources);
    const overlay = use.only ? source?.only : source?.name;
    if (overlay) replacements.push({ start: use.start, end: use.end, text: overlay });
  }
  for (const { start, end, ...qualified } of body.qualifiers) {
    const overlay = (await sourceOf(context, qualified, sources))?.name;
    const column = quoteIdentifier(qualified.name);
    if (overlay) replacements.push({ start, end, text: overlay.slice(0, -column.length) });
  }
  const grouped = completedGroupings(body.groupings, (relation) => {
    const use = body.relations.find(({ start }) => start === relation);
    return (use && sources.get(JSON.stringify(nameOf(use)))?.dependents) ?? null;
  });
  return [...replacements, ...grouped, ...(await callsIn(context, body, uses))];
}

/**
 * Returns the replacements of called functions in a body.
 * @throws Obstacle where staged functions would pass rows to functions that take rows of the table itself
 */
async function callsIn(context: Context, body: BodyUses, uses: FoundUses): Promise<Replacement[]> {
  const replacements: Replacement[] = [];
  const called: Known[] = [];
  for (const { start, end, ...call } of body.called) {
    if (call.schema === 'pg_catalog') continue;
    uses.functions.push(nameOf(call));
    const known = await follow(context, call);
    if (known === null) continue;
    called.push(known);
    uses.relations.push(...known.uses.relations);
    uses.functions.push(...known.uses.functions);
    if (known.schema === null) continue;
    replacements.push({ start, end, text: qualifiedName(known.schema, call.name) });
  }
  const takesRows = called.some((each) => each.takesRows);
  if (takesRows && called.some(({ schema, givesRows }) => schema !== null && givesRows))
    throw new Obstacle('hands rows of tables on');
  return replacements;
}

/** Returns what replaces a relation in queries; null where the relation does not exist. */
async function sourceOf(
  { tx, path, server }: Context,
  use: QualifiedName | RelationUse,
  sources: Map<string, Source>,
): Promise<Source | null> {
  const name = JSON.stringify(nameOf(use));
  const known = sources.get(name);
  if (known) return known;
  const [row] = await tx.query('SELECT stage.relation_in($1, $2) AS oid', [name, oidArray(path)]);
  if (row?.['oid'] == null) return null;
  const source = await sourceFor(tx, Number(row['oid']), server, false);
  sources.set(name, source);
  return source;
}

/** Returns the uses without duplicates. */
export const distinct = ({ relations, functions }: FoundUses): FoundUses => ({
  relations: [...new Map(relations.map((name) => [JSON.stringify(name), name])).values()],
  functions: [...new Map(functions.map((name) => [JSON.stringify(name), name])).values()],
});

const nameOf = ({ schema, name }: QualifiedName): QualifiedName => ({ schema, name });
