/**
 * Staged functions: the same bodies, with overlays in place of tables. The bodies are analysed as text, under the search path of the call.
 * So only functions in SQL and PL/pgSQL whose texts show what they read and write have staged functions.
 */
import type { Queryable } from '../../db/database.ts';
import { qualifiedName } from '../../identifier.ts';
import { standInSchema } from '../../model/internal-schemas.ts';
import type { BodyReplacement } from '../../sql/functions/body-upserts.ts';
import type { BodyUses } from '../../sql/functions/body-uses.ts';
import type { QualifiedName } from '../../sql/functions/calls.ts';
import { lastNumberCalls } from '../../sql/functions/last-numbers.ts';
import { isNotify, notifyCalls } from '../../sql/functions/notifications.ts';
import { generationOn } from '../generation.ts';
import { oidArray } from '../object-names.ts';
import { withAnnouncements } from './announced-writes.ts';
import type { Body } from './bodies.ts';
import { demandBodies, readBodies } from './bodies.ts';
import { withCalls } from './calls-in.ts';
import { usesOfDefaults } from './check-body.ts';
import { checkWriting, noteWritten } from './check-writing.ts';
import { clientQueries } from './client-query.ts';
import { demandSameCallers, guardedBody } from './definer.ts';
import type { Definition, FoundUses } from './function-script.ts';
import {
  createStagedFunctions,
  hasDefiner,
  Obstacle,
  reasonOf,
  scriptFor,
} from './function-script.ts';
import { isHarmless } from './harmless.ts';
import type { FunctionUses, Known, OwnFunctions, StagedFunctions } from './known-functions.ts';
import {
  distinct,
  ownFunctions,
  ownOf,
  readStagedFunctions,
  readsNothing,
  stagedFunctions,
} from './known-functions.ts';
import type { Lookup } from './own-path.ts';
import { lookupOf, recorded } from './own-path.ts';
import { relationsIn } from './relations-in.ts';
import { replacedBody } from './replaced-body.ts';
import { withUpserts } from './staged-upserts.ts';

export interface Context extends Lookup {
  readonly tx: Queryable;
  readonly server: number;
  /** Functions whose bodies are being followed. */
  readonly open: ReadonlySet<string>;
  /** Those that are being made. */
  readonly own?: OwnFunctions;
  /** Whether the body writes, or calls functions that do. */
  readonly stages?: boolean;
  /** Whether what it calls with the rights of an owner is left to production. */
  readonly leavesOwners?: boolean;
  /** Set for a trigger that notifies, by itself or through functions. */
  readonly notifies?: boolean;
  /** Whether the body is that of a trigger. */
  readonly fires?: boolean;
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
 * @throws Obstacle if they call each other in a circle
 */
async function follow(context: Context, called: QualifiedName): Promise<Known | null> {
  const { tx, path } = context;
  const [row] = await tx.query(
    'SELECT stage.function_definition($1, $2) AS definition, pg_current_snapshot()::text AS snapshot',
    [JSON.stringify({ schema: called.schema, name: called.name }), oidArray(path)],
  );
  if (row?.['definition'] == null) return null;
  const definition = JSON.parse(row['definition']) as Definition;
  if (definition.isNative) return null;
  const key = qualifiedName(definition.schema, definition.name);
  if (context.own?.key === key) return ownOf(context.own, definition);
  if (context.open.has(key)) throw new Obstacle('calls itself through other functions');
  if (context.open.size > maxDepth) throw new Obstacle('calls others too deep');
  const open = new Set([...context.open, key]);
  const staged =
    (await readStagedFunctions(context, definition)) ??
    (await make(
      { ...context, open, leavesOwners: false },
      definition,
      called,
      row['snapshot'] ?? '',
    ));
  return { ...definition, ...staged };
}

async function make(
  context: Context,
  definition: Definition,
  called: QualifiedName,
  snapshot: string,
): Promise<StagedFunctions> {
  const { tx, path, server } = context;
  const [row] = await tx.query(
    'INSERT INTO stage.staged_function (namespace, name, path, generation) VALUES ($1, $2, $3, $4) RETURNING id',
    [definition.namespace, definition.name, oidArray(path), generationOn(server)],
  );
  const id = String(row?.['id']);
  const uses: FunctionUses = {
    ...{ relations: [], functions: [recorded({}, called)], written: [], writes: false },
    asOwner: hasDefiner(definition),
  };
  const obstacle = await tryBuild(context, definition, id, uses);
  if (obstacle === null) await makeLeaving(context, definition, uses);
  await tx.query(
    `UPDATE stage.staged_function SET uses = $2, stamp = stage.stamp_of_reading($2, path, $4), obstacle = $3 WHERE id = $1`,
    [id, JSON.stringify({ ...uses, ...distinct(uses) }), obstacle, snapshot],
  );
  return stagedFunctions(obstacle === null ? id : null, uses, obstacle);
}

/** Makes more copies of functions that call others with the rights of owners, to which these are left. */
async function makeLeaving(
  context: Context,
  definition: Definition,
  uses: FunctionUses,
): Promise<void> {
  if (!uses.asOwner || uses.writes || hasDefiner(definition)) return;
  const [row] = await context.tx.query(
    `SELECT nextval(pg_get_serial_sequence('stage.staged_function', 'id')) AS id`,
  );
  const id = String(row?.['id']);
  const own = { relations: [], functions: [], written: [], writes: false };
  const obstacle = await tryBuild({ ...context, leavesOwners: true }, definition, id, own);
  // functions that read nothing else are themselves such copies
  if (obstacle === null) uses.leaving = id;
}

/** Creates the staged functions in the schema of that number. Returns why there are none, or null. */
async function tryBuild(
  context: Context,
  definition: Definition,
  id: string,
  uses: FunctionUses,
): Promise<string | null> {
  const { tx } = context;
  const schema = standInSchema('function', id);
  const own = ownFunctions(definition, schema, uses);
  await tx.query('SAVEPOINT staged_function');
  const obstacle = await build({ ...context, own }, definition, schema, uses).then(
    () => null,
    (error: Error) => reasonOf(error),
  );
  if (obstacle !== null) await tx.query('ROLLBACK TO SAVEPOINT staged_function');
  await tx.query('RELEASE SAVEPOINT staged_function');
  return obstacle;
}

/**
 * Creates the staged functions.
 * @param uses collects the names that the functions use
 * @throws Obstacle, or PostgreSQL's errors
 */
async function build(
  context: Context,
  definition: Definition,
  schema: string,
  uses: FunctionUses,
): Promise<void> {
  const isCalled = definition.functions.some(({ isProcedure }) => isProcedure);
  const reading = isCalled ? null : await readBodies(definition, 'reads');
  let copies = reading && (await scriptsFor(context, definition, reading, schema, uses));
  // guard: no exception block of a function that only reads catches the refusal of a notification
  if (copies !== null && uses.notifies === true && !uses.writes) {
    const bodies = await demandBodies(definition);
    copies = await scriptsFor(context, definition, bodies, schema, uses);
  }
  // guard: a function that calls one that writes is checked like one that writes
  const scripts =
    copies !== null && !uses.writes
      ? copies.scripts
      : await writingScripts(context, definition, schema, uses);
  uses.isHarmless = !uses.writes && (await isHarmless(context, reading ?? [], uses));
  uses.computes = copies?.isStaged === false && !uses.writes;
  if (uses.computes && uses.isHarmless !== true) throw new Obstacle(readsNothing);
  await createStagedFunctions(context.tx, schema, scripts, context.path);
  await demandSameCallers(context.tx, definition, schema);
}

/** Builds the functions if some of them write. */
async function writingScripts(
  context: Context,
  definition: Definition,
  schema: string,
  uses: FunctionUses,
): Promise<readonly string[]> {
  const bodies = await demandBodies(definition);
  uses.writes = true;
  const checked = { ...context, hasStandIns: true };
  // guard: defaults of arguments that notify keep a function that writes from being staged
  await checkWriting(context, definition.functions.flatMap(usesOfDefaults), uses);
  for (const [each, { uses: part }] of bodies) {
    const own = { ...checked, ...(await lookupOf(context.tx, context, each)) };
    await checkWriting(own, [part], uses);
    await noteWritten(own, part, uses);
  }
  return (await scriptsFor({ ...context, stages: true }, definition, bodies, schema, uses)).scripts;
}

async function scriptsFor(
  context: Context,
  { name }: Definition,
  bodies: readonly Body[],
  schema: string,
  uses: FunctionUses,
): Promise<{ scripts: readonly string[]; isStaged: boolean }> {
  const scripts: string[] = [];
  let isStaged = false;
  for (const [each, body] of bodies) {
    // guard: a function finds names in the schemas of its own SET clause
    const own = { ...context, ...(await lookupOf(context.tx, context, each)) };
    const replacements = await replacementsIn(own, body.uses, uses);
    // a function that only calls itself runs as it is
    isStaged ||= replacements.some(({ text }) => text !== qualifiedName(schema, name));
    for (const { name: relation, schema: within } of [
      ...each.rows,
      ...(each.row ? [each.row] : []),
    ])
      uses.relations.push(recorded(own, { schema: within, name: relation }));
    // what only reads may run without a staged statement
    const queries = uses.writes ? clientQueries(body.uses) : [];
    const text = await replacedBody(body, [...replacements, ...queries]);
    scripts.push(...scriptFor(each, name, schema, await guardedBody(own, each, text, uses)));
  }
  return { scripts, isStaged };
}

/**
 * Makes the replacements of the relations and functions that a body names, and returns the texts that replace the names.
 * @param uses gets the names in the body
 * @throws Obstacle, or StageError for a relation that cannot be read with staged rows
 */
export async function replacementsIn(
  context: Context,
  body: BodyUses,
  uses: FoundUses | FunctionUses,
): Promise<BodyReplacement[]> {
  const relations = await relationsIn(context, body, uses);
  const named = await withCalls(context, body, relations, { uses, follow });
  if ('writes' in uses && body.functions.some(isNotify)) uses.notifies = true;
  const server = [...lastNumberCalls(body.called), ...notifyCalls(body.called)];
  const all = await withUpserts(context, body, [...named, ...server]);
  return withAnnouncements(context, body, all);
}
