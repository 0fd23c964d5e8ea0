/** Follows the body of a trigger: the tables that it writes to, by itself and through the functions that it calls. */
import { setInternalPath } from '../../db/connection-settings.ts';
import type { Queryable } from '../../db/database.ts';
import type { Table, Trigger } from '../../model/table.ts';
import type { BodyUses, BodyWrite, Extent, FunctionBody } from '../../sql/functions/body-uses.ts';
import { mergedUses } from '../../sql/functions/body-uses.ts';
import { checkBody, readTriggerBody } from '../functions/check-body.ts';
import type { FoundUses } from '../functions/function-script.ts';
import { Obstacle } from '../functions/function-script.ts';
import { demandSent } from '../functions/notifications.ts';
import type { Lookup, RecordedName } from '../functions/own-path.ts';
import { recorded } from '../functions/own-path.ts';
import type { WrittenTable } from './written-tables.ts';
import { writtenNames, writtenTables } from './written-tables.ts';

/** The body of a trigger that is followed. */
export interface TriggerBody extends FunctionBody {
  /** The tables that it, and the functions that it calls, write to. */
  readonly written: readonly WrittenTable[];
  /** Whether it calls functions that write. */
  readonly callsWriters: boolean;
  /** Whether it notifies, by itself or through the functions that it calls. */
  readonly notifies: boolean;
}

/** The uses of the triggers of a table. */
export interface TriggerUses extends FoundUses {
  /** The tables that they write to. */
  readonly written: (RecordedName & Pick<BodyWrite, 'operation' | 'given'>)[];
  /** The same, and those that foreign keys connect with them. */
  readonly checked: RecordedName[];
  /** The sequences that they draw from, as calls of nextval() name them. */
  readonly sequences: string[];
}

export const noUses = (): TriggerUses => ({
  relations: [],
  functions: [],
  written: [],
  checked: [],
  sequences: [],
});

interface Target {
  readonly tx: Queryable;
  readonly table: Table;
  readonly trigger: Trigger;
  readonly uses: TriggerUses;
}

/**
 * Parses and checks the body of a trigger.
 * @throws Obstacle if it is not followed
 */
export async function followBody(target: Target, lookup: Lookup): Promise<TriggerBody> {
  const { tx, table, trigger, uses } = target;
  const extents = extentsOf(trigger);
  const made = await readTriggerBody(table, trigger, extents);
  const own = await writtenBy(target, made.uses, lookup, trigger.function.body);
  demandNoOwnUpserts(table, trigger, made.uses, own);
  const extent = extents.at(-1) ?? 'reads';
  const context = { ...lookup, tx, uses, extent, hasStandIns: true };
  const { writers, notifies } = await checkBody(context, made.uses);
  await tx.query(setInternalPath);
  if (notifies) demandSent(table, trigger);
  // guard: the search for the row in the way of an owner's ON CONFLICT would demand rights of the client
  if (lookup.role !== undefined && [made, ...writers].some(({ uses }) => uses.upserts.length > 0))
    throw new Obstacle("runs with its owner's rights and uses ON CONFLICT");
  if (writers.length === 0) return { ...made, written: own, callsWriters: false, notifies };
  const parts: WrittenTable[][] = [own];
  for (const each of writers) parts.push(await writtenBy(target, each.uses, each.lookup, null));
  const written = merged(parts.flat());
  const all = mergedUses([made.uses, ...writers.map((each) => each.uses)]);
  demandNoOwnUpserts(table, trigger, all, written);
  // guard: an exception block of a trigger that calls functions which write handles the errors that a writing trigger may handle
  const again = await readTriggerBody(table, trigger, [extent]);
  return { ...again, written, callsWriters: true, notifies };
}

/**
 * Returns the tables that a body writes to.
 * @param text the body of the trigger itself; null for that of a function which it calls
 * @throws Obstacle for a table to which a trigger may not write while rows are staged
 */
async function writtenBy(
  { tx, trigger, uses }: Target,
  body: BodyUses,
  lookup: Lookup,
  text: string | null,
): Promise<WrittenTable[]> {
  const names = writtenNames(body).map(({ operation, given, ...each }) => {
    return { name: recorded(lookup, each), operation, given };
  });
  // guard: a trigger that writes for TRUNCATE does not fire while staging: it does not fire at approval, which deletes the rows
  if (names.length > 0 && trigger.events.includes('truncate'))
    throw new Obstacle(writesForTruncate);
  uses.written.push(...names.map(({ name, ...each }) => ({ ...name, ...each })));
  // an UPDATE reads the rows that it changes, and RETURNING reads the rows that it returns
  const isRead = text === null || /\breturning\b/i.test(text);
  for (const { operation, name } of names)
    if (isRead || operation !== 'INSERT') uses.relations.push(name);
  // guard: a trigger that is not followed may be once the table that it writes to changes
  uses.checked.push(...names.map(({ name }) => name));
  return writtenTables(tx, body.writes, lookup, ({ schema, name }) =>
    uses.checked.push({ schema, name }),
  );
}

const writesForTruncate = 'writes for TRUNCATE, which approval applies as deletions';

/** Returns one entry for each table. */
function merged(written: readonly WrittenTable[]): WrittenTable[] {
  const found = new Map<number, WrittenTable>();
  for (const each of written) {
    const { oid } = each.table;
    const operations = [...(found.get(oid)?.operations ?? []), ...each.operations];
    found.set(oid, { ...each, operations });
  }
  return [...found.values()];
}

/** Returns what the body of a trigger may do, the least first. The writes of a BEFORE STATEMENT trigger have no row on which they depend. */
function extentsOf({ timing, level, deferred }: Trigger): readonly Extent[] {
  // guard: a deferred trigger writes nothing that COMMIT would not check
  if (deferred !== null) return ['reads'];
  if (timing === 'after') return ['rows'];
  return level === 'row' ? ['reads', 'rows'] : ['reads'];
}

/** @throws Obstacle if a BEFORE trigger upserts into its own table: a part of an upsert cannot be told from the row for which it fires */
function demandNoOwnUpserts(
  { oid }: Table,
  { timing }: Trigger,
  { upserts }: BodyUses,
  written: readonly WrittenTable[],
): void {
  const isOwn = written.some(({ table }) => table.oid === oid);
  // guard: a BEFORE trigger does not fire for a part of an upsert of its own
  if (isOwn && timing === 'before' && upserts.length > 0)
    throw new Obstacle('uses ON CONFLICT for its own table, before the row for which it fires');
}
