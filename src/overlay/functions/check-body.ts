/** Checks what the body of a trigger, or of a function that writes, calls: every effect must be known before it runs for a client. */
import type { Queryable, Row } from '../../db/database.ts';
import { quoteIdentifier } from '../../identifier.ts';
import type { Table, Trigger } from '../../model/table.ts';
import type { BodyUses, Extent, FunctionBody } from '../../sql/functions/body-uses.ts';
import { usesOf } from '../../sql/functions/body-uses.ts';
import type { QualifiedName } from '../../sql/functions/calls.ts';
import { readBodyAnywhere } from '../../sql/functions/function-body.ts';
import {
  changesPath,
  hasEffects,
  isStageableVolatile,
  refusedFunctions,
} from '../../sql/functions/functions.ts';
import { oidArray } from '../object-names.ts';
import type { Definition, FoundUses, FunctionDefinition } from './function-script.ts';
import { findNamesIn, headOf, Obstacle } from './function-script.ts';
import type { Lookup } from './own-path.ts';
import { lookupOf, recorded } from './own-path.ts';

interface Context extends Lookup {
  readonly tx: Queryable;
  /** The check adds each called function to it. */
  readonly uses: FoundUses & { readonly sequences?: string[] };
  /** The effects that called functions may have. */
  readonly extent: Extent;
}

interface Walk extends Context {
  /** The calls that were followed: a function that is called often is checked once, and so is one that calls itself. */
  readonly followed: Set<string>;
}

/** The maximum depth of calls; functions of applications stay far below it. */
const maxDepth = 8;

/** Returns the reason against a body that cannot be followed. */
export const beyondExtent = (extent: Extent) =>
  extent === 'writes'
    ? 'does more than read and write rows, or cannot be followed'
    : 'does more than read, or cannot be followed';

/**
 * Parses the body of a trigger function.
 * @param extents what it may do, the least first
 * @throws Obstacle if it does more
 */
export async function readTriggerBody(
  table: Table,
  trigger: Trigger,
  extents: readonly Extent[],
): Promise<FunctionBody> {
  const { name, body } = trigger.function;
  const head = `${quoteIdentifier(name)}() RETURNS trigger`;
  // of its transition tables it may use whole rows
  const tables = [trigger.oldTable, trigger.newTable].flatMap((each) => each ?? []);
  const facts = { names: namesOf(table, trigger), arguments: trigger.arguments };
  for (const extent of extents) {
    const read = await readBodyAnywhere({ language: 'plpgsql', body, head, extent, tables, facts });
    if (read !== null) return read;
  }
  throw new Obstacle(beyondExtent('reads'));
}

/** Returns the variables of a trigger whose values are known. */
const namesOf = ({ schema, name }: Table, trigger: Trigger) => ({
  ...{ tg_table_name: name, tg_relname: name, tg_table_schema: schema, tg_name: trigger.name },
  ...{ tg_when: trigger.timing.toUpperCase(), tg_level: trigger.level.toUpperCase() },
  ...(trigger.events.length === 1 && { tg_op: String(trigger.events[0]).toUpperCase() }),
});

/**
 * Returns what the defaults of a function's arguments use. A call that does not give the arguments evaluates them.
 * @throws Obstacle if they cannot be followed
 */
export function usesOfDefaults({ defaults }: FunctionDefinition): BodyUses[] {
  // guard: defaults of arguments are checked like the body
  if (defaults === null) return [];
  const uses = usesOf(Buffer.from(`SELECT ${defaults}`));
  if (uses === null) throw new Obstacle('has defaults of arguments that cannot be followed');
  return [uses];
}

/**
 * Checks what a body calls, directly and through other functions. It sets the transaction's search path to that of the body: the names of
 * operators and types are found as the body finds them.
 * @throws Obstacle for a call that has effects, or whose effects are unknown
 */
export async function checkBody(context: Context, body: BodyUses): Promise<void> {
  await findNamesIn(context.tx, context.path);
  await checkCalls({ ...context, followed: new Set() }, body, 0);
}

/** Checks the calls of a body. @param depth the number of calls that lead to the body */
async function checkCalls(context: Walk, body: BodyUses, depth: number): Promise<void> {
  if (depth > maxDepth) throw new Obstacle('calls functions too deep');
  const refused = refusedFunctions(body.functions, 'write', []);
  // guard: calls of a trigger are checked like calls of a statement
  if (refused !== null) throw new Obstacle(`calls ${refused.name}()`);
  // guard: names in a copy do not move while it runs
  if (changesPath(body.functions)) throw new Obstacle('sets search_path');
  noteSequences(context, body);
  for (const row of await found(context, body)) checkFound(row);
  for (const { schema, name } of body.called)
    if (schema !== 'pg_catalog') await checkCalled(context, { schema, name }, depth);
}

/** Collects the sequences that a trigger draws from. A function draws with its caller's rights, which PostgreSQL checks. */
function noteSequences({ uses: { sequences }, ownPath }: Context, { functions }: BodyUses): void {
  if (sequences === undefined) return;
  for (const { name, sequence } of functions) {
    if (name !== 'nextval') continue;
    // guard: the right to draw from a sequence is checked by its name
    if (sequence === undefined) throw new Obstacle('draws from a sequence that it computes');
    if (ownPath !== undefined && !sequence.includes('.'))
      throw new Obstacle('draws from a sequence without its schema');
    sequences.push(sequence);
  }
}

/** Returns the functions that the called names may refer to. The bodies of users' functions are parsed in turn. */
async function found({ tx }: Context, { unclear }: BodyUses): Promise<Row[]> {
  const calls = unclear.map(({ kind, schema, name }) => ({ kind, schema, name }));
  return calls.length === 0
    ? []
    : tx.query(
        `SELECT f.* FROM stage.find_code($1) f WHERE f.is_found AND NOT (f.is_named AND f.is_code)`,
        [JSON.stringify(calls)],
      );
}

function checkFound(row: Row): void {
  const is = (fact: string) => row[fact] === 't';
  const schema = String(row['known_schema'] ?? row['schema']);
  const name = String(row['known_name'] ?? row['name']);
  if (is('is_code')) throw new Obstacle(`runs ${name}(), which no call names`);
  const effects = {
    ...{ schema, name, isVolatile: is('is_volatile'), isImmutable: is('is_immutable') },
    ...{ isCompiled: is('is_compiled'), isExtension: is('is_extension') },
  };
  const isVolatile = effects.isVolatile && !isStageableVolatile(schema, name);
  if (isVolatile || hasEffects(effects, 'write')) throw new Obstacle(`calls ${name}()`);
}

async function checkCalled(context: Walk, call: QualifiedName, depth: number): Promise<void> {
  context.uses.functions.push(recorded(context, call));
  const key = JSON.stringify([call, context.path, context.role]);
  if (context.followed.has(key)) return;
  context.followed.add(key);
  const [row] = await context.tx.query(
    'SELECT stage.function_definition($1, $2) AS definition, EXISTS (SELECT FROM stage.functions_named($1, $2)) AS there',
    [JSON.stringify(call), oidArray(context.path)],
  );
  if (row?.['there'] !== 't') return;
  if (row['definition'] == null)
    throw new Obstacle(`calls ${call.name}(), which is several functions`);
  const definition = JSON.parse(row['definition']) as Definition;
  if (definition.isServers) return;
  for (const each of definition.functions) {
    const what = `calls ${call.name}(), which`;
    if (each.obstacle !== null) throw new Obstacle(`${what} ${each.obstacle}`);
    const { extent } = context;
    // guard: no trigger calls a function with its owner's rights
    if (each.definer !== null && extent === 'reads')
      throw new Obstacle(`${what} runs with its owner's rights`);
    const head = headOf(each, definition.name, 'record');
    const body = await readBodyAnywhere({ ...each, head, extent });
    if (body === null) throw new Obstacle(`${what} ${beyondExtent(extent)}`);
    // guard: calls in a function are resolved in its own search path
    const inner = { ...context, ...(await lookupOf(context.tx, context, each)) };
    await findNamesIn(context.tx, inner.path);
    await checkCalls(inner, body.uses, depth + 1);
    await findNamesIn(context.tx, context.path);
    for (const uses of usesOfDefaults(each)) await checkCalls(context, uses, depth + 1);
  }
}
