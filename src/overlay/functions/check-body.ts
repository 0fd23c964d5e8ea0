/** Checks what the body of a trigger, or of a function that writes, calls: every effect must be known before it runs for a client. */
import type { Queryable } from '../../db/database.ts';
import { quoteIdentifier } from '../../identifier.ts';
import type { Table, Trigger } from '../../model/table.ts';
import type { BodyUses, Extent, FunctionBody } from '../../sql/functions/body-uses.ts';
import { usesOf } from '../../sql/functions/body-uses.ts';
import type { QualifiedName } from '../../sql/functions/calls.ts';
import type { FunctionText } from '../../sql/functions/function-body.ts';
import { readBodyAnywhere } from '../../sql/functions/function-body.ts';
import { changesPath, refusedFunctions } from '../../sql/functions/functions.ts';
import { isNotify } from '../../sql/functions/notifications.ts';
import { oidArray } from '../object-names.ts';
import { checkFound } from './check-found.ts';
import type { Definition, FoundUses, FunctionDefinition } from './function-script.ts';
import { findNamesIn, headOf, Obstacle } from './function-script.ts';
import { demandStandIns, notifying } from './notifications.ts';
import type { Lookup } from './own-path.ts';
import { lookupOf, recorded } from './own-path.ts';

interface Context extends Lookup {
  readonly tx: Queryable;
  /** The check adds each called function to it. */
  readonly uses: FoundUses & { readonly sequences?: string[] };
  /** The effects that called functions may have. */
  readonly extent: Extent;
  /** Whether the calls that notify are replaced in copies, as in those of triggers and of the functions that they call. */
  readonly hasStandIns?: boolean;
  /** Whether the code runs as it is in production, because policies or views call it. */
  readonly isUnseen?: boolean;
}

/** What is found in the bodies of called functions. */
interface Walked {
  /** Whether each call that was followed writes: a function that is called often is checked once, and so is one that calls itself. */
  readonly followed: Map<string, boolean>;
  /** The called functions that write. */
  readonly writers: CalledWriter[];
  /** The names of functions that statements which write call. */
  readonly inWrites: Set<string>;
  /** The names of functions that write, or call others that do. */
  readonly writing: Set<string>;
  /** The names of functions that call themselves through other functions. */
  readonly circular: Set<string>;
  /** Those of the bodies that notify. */
  readonly notifying: BodyUses[];
}

/** What a body does through the functions that it calls, and by itself. */
interface Effects {
  /** The called functions that write. */
  readonly writers: readonly CalledWriter[];
  readonly notifies: boolean;
}

interface Walk extends Context, Walked {
  /** The calls that lead to the body, from the first one on. */
  readonly open: readonly string[];
}

/** A called function that writes: what its body uses, and where it finds names. */
export interface CalledWriter {
  readonly uses: BodyUses;
  readonly lookup: Lookup;
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
  const text = { language: 'plpgsql', body, head, tables, facts } as const;
  const read = await readWithin(text, extents);
  if (read === null) throw new Obstacle(beyondExtent('reads'));
  return read;
}

/** Parses a body within the first of the extents that it does not exceed. Returns null if it exceeds all of them. */
async function readWithin(
  text: FunctionText,
  extents: readonly Extent[],
): Promise<FunctionBody | null> {
  for (const extent of extents) {
    const body = await readBodyAnywhere({ ...text, extent });
    if (body !== null) return body;
  }
  return null;
}

/** Returns the variables of a trigger whose values are known. */
const namesOf = ({ schema, name, kind }: Table, trigger: Trigger) => ({
  // a row trigger has the names of the row's partition
  ...(!(kind === 'partitioned' && trigger.level === 'row') && {
    ...{ tg_table_name: name, tg_relname: name, tg_table_schema: schema },
  }),
  ...{
    tg_name: trigger.name,
    tg_when: trigger.timing.toUpperCase(),
    tg_level: trigger.level.toUpperCase(),
  },
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
 * Checks what a body calls, directly and through other functions, and returns what it does thereby. It sets the transaction's search path
 * to that of the body: the names of operators and types are found as the body finds them.
 * @throws Obstacle for a call that has effects, or whose effects are unknown
 */
export async function checkBody(context: Context, body: BodyUses): Promise<Effects> {
  await findNamesIn(context.tx, context.path);
  const walk = {
    ...{ followed: new Map<string, boolean>(), writers: [] },
    ...{ inWrites: new Set<string>(), writing: new Set<string>() },
    ...{ open: [], circular: new Set<string>(), notifying: [] },
  };
  await checkCalls({ ...context, ...walk }, body);
  if (context.extent === 'rows') demandPlainCalls(walk);
  return { writers: walk.writers, notifies: walk.notifying.length > 0 };
}

/** @throws Obstacle for a call of a function that writes, as no trigger may make it */
function demandPlainCalls({ inWrites, writing, circular }: Walked): void {
  for (const name of writing) {
    // guard: no write of a trigger calls a function that writes
    if (inWrites.has(name))
      throw new Obstacle(`calls ${name}(), which writes, in a statement that writes`);
    // guard: a trigger calls no function that writes to production
    if (circular.has(name))
      throw new Obstacle(`calls ${name}(), which calls itself through other functions`);
  }
}

/** Checks the calls of a body, and returns whether one of them writes. */
async function checkCalls(context: Walk, body: BodyUses): Promise<boolean> {
  if (context.open.length > maxDepth) throw new Obstacle('calls functions too deep');
  const replaced = context.hasStandIns ? [notifying] : [];
  const refused = refusedFunctions(body.functions, 'write', replaced);
  // guard: calls of a trigger are checked like calls of a statement
  if (refused !== null) throw new Obstacle(`calls ${refused.name}()`);
  if (body.functions.some(isNotify)) {
    demandStandIns(body);
    context.notifying.push(body);
  }
  // guard: names in a copy do not move while it runs
  if (changesPath(body.functions)) throw new Obstacle('sets search_path');
  noteSequences(context, body);
  const { unclear } = body;
  const checked =
    replaced.length > 0
      ? unclear.filter((each) => !(each.kind === 'function' && isNotify(each)))
      : unclear;
  for (const each of await checkFound(context, checked)) await checkUnseen(context, each);
  for (const { name } of [...body.calledByWrites, ...body.callers.flatMap(({ called }) => called)])
    context.inWrites.add(name);
  let writes = false;
  for (const { schema, name } of body.called)
    if (schema !== 'pg_catalog' && (await checkCalled(context, { schema, name }))) writes = true;
  return writes;
}

/** Checks a function that policies or views call. @throws Obstacle if it does more than read */
async function checkUnseen(context: Walk, call: QualifiedName): Promise<void> {
  // guard: code that runs as it is only reads
  const extent = 'reads';
  await checkCalled({ ...context, extent, hasStandIns: false, isUnseen: true }, call);
}

/** Collects the sequences that a trigger draws from. A function draws with its caller's rights, which PostgreSQL checks. */
function noteSequences(
  { uses: { sequences }, ownPath, role }: Context,
  { functions }: BodyUses,
): void {
  // PostgreSQL checks the rights of an owner when it runs
  if (sequences === undefined || role !== undefined) return;
  for (const { name, sequence } of functions) {
    if (name !== 'nextval') continue;
    // guard: the right to draw from a sequence is checked by its name
    if (sequence === undefined) throw new Obstacle('draws from a sequence that it computes');
    if (ownPath !== undefined && !sequence.includes('.'))
      throw new Obstacle('draws from a sequence without its schema');
    sequences.push(sequence);
  }
}

/** Checks the functions of a name, and returns whether they write. */
async function checkCalled(context: Walk, call: QualifiedName): Promise<boolean> {
  context.uses.functions.push(recorded(context, call));
  const { path, role, extent, hasStandIns, isUnseen } = context;
  const key = JSON.stringify([call, path, role, extent, hasStandIns === true, isUnseen === true]);
  if (context.open.slice(0, -1).includes(key)) context.circular.add(call.name);
  const known = context.followed.get(key);
  if (known !== undefined) return known;
  context.followed.set(key, false);
  const [row] = await context.tx.query(
    'SELECT stage.function_definition($1, $2) AS definition, EXISTS (SELECT FROM stage.functions_named($1, $2)) AS there',
    [JSON.stringify(call), oidArray(path)],
  );
  if (row?.['there'] !== 't') return false;
  if (row['definition'] == null)
    throw new Obstacle(`calls ${call.name}(), which is several functions`);
  const definition = JSON.parse(row['definition']) as Definition;
  if (definition.isNative) return false;
  let writes = false;
  const within = { ...context, open: [...context.open, key] };
  for (const each of definition.functions)
    if (await checkFunction(within, definition, each)) writes = true;
  context.followed.set(key, writes);
  if (writes) context.writing.add(call.name);
  return writes;
}

/** Checks one function, and returns whether it writes. */
async function checkFunction(
  context: Walk,
  { name }: Definition,
  each: FunctionDefinition,
): Promise<boolean> {
  const what = `calls ${name}(), which`;
  if (each.obstacle !== null) throw new Obstacle(`${what} ${each.obstacle}`);
  // guard: no trigger calls a function with its owner's rights
  if (each.definer !== null && context.extent !== 'writes' && !context.isUnseen)
    throw new Obstacle(`${what} runs with its owner's rights`);
  const { uses } = await readCalled(context, each, name, what);
  // guard: code that runs as it is runs no text that may vary, as only a copy compares it with the one that was checked
  if (context.isUnseen && uses.runsVariableText) throw new Obstacle(`${what} runs a text`);
  // guard: calls in a function are resolved in its own search path
  const inner = { ...context, ...(await lookupOf(context.tx, context, each)) };
  const isWriter = uses.writes.length > 0;
  if (isWriter) context.writers.push({ uses, lookup: inner });
  await findNamesIn(context.tx, inner.path);
  const calls = await checkCalls(inner, uses);
  await findNamesIn(context.tx, context.path);
  // guard: defaults of arguments are evaluated as they are, and notify somebody
  const asTheyAre = { ...context, hasStandIns: false };
  for (const defaults of usesOfDefaults(each)) await checkCalls(asTheyAre, defaults);
  return isWriter || calls;
}

/**
 * Parses the body of a called function.
 * @throws Obstacle if it does more than it may
 */
async function readCalled(
  { extent }: Walk,
  each: FunctionDefinition,
  name: string,
  what: string,
): Promise<FunctionBody> {
  const text = { ...each, head: headOf(each, name, 'record') };
  // a function that only reads may handle more errors
  const body = await readWithin(text, extent === 'rows' ? ['reads', extent] : [extent]);
  if (body === null) throw new Obstacle(`${what} ${beyondExtent(extent)}`);
  return body;
}
