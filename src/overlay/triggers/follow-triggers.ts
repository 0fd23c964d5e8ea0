/** Decides which triggers of a table are followed: they fire while its rows are staged, as they do in production. */
import { setInternalPath } from '../../db/connection-settings.ts';
import type { Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import { quoteIdentifier } from '../../identifier.ts';
import type { Table, Trigger } from '../../model/table.ts';
import { mergedUses } from '../../sql/functions/body-uses.ts';
import { loadParser } from '../../sql/parser/parser.ts';
import { Obstacle, shownSchemas } from '../functions/function-script.ts';
import type { Lookup } from '../functions/own-path.ts';
import { lookupOf } from '../functions/own-path.ts';
import type { Operation } from '../rows/after-statement.ts';
import { operations } from '../rows/after-statement.ts';
import type { Event } from './candidates.ts';
import {
  actionObstacle,
  clientsTrigger,
  endTriggers,
  mayFire,
  rowTriggers,
  runsAsOwner,
  statementTriggers,
  tableObstacle,
} from './candidates.ts';
import type { TriggerBody, TriggerUses } from './trigger-body.ts';
import { followBody, noUses } from './trigger-body.ts';
import { conditionOf, demandBlock } from './trigger-copy.ts';

/** The schemas in which names of production's triggers are found at approval. */
export interface Path {
  readonly oids: readonly number[];
  /** The quoted names, as SET takes them. */
  readonly text: string;
  /** The names, where they are those of the trigger's own SET clause. */
  readonly own?: readonly string[];
}

/** Returns the schemas in which a trigger finds names: those of its function's SET clause, or the given ones. */
export async function pathOf(tx: Queryable, trigger: Trigger, path: Path): Promise<Path> {
  const own = trigger.function.path;
  if (own === null) return path;
  const { path: oids } = await lookupOf(tx, { path: [] }, { path: own, definer: null });
  return { oids, text: shownSchemas(own), own };
}

/** Returns where a trigger finds names, and whose rights apply to it. */
export const lookupFor = ({ function: { definer } }: Trigger, path: Path): Lookup => ({
  path: path.oids,
  ownPath: path.own,
  role: definer?.role,
});

/** A trigger that is followed, with its result; or the reason why it is not followed, as the end of "trigger ...". */
export type Followed<Made> = { readonly made: Made } | { readonly obstacle: string };

/** Returns the search path of approvals. Afterwards, the transaction has that of the service's connections. */
export async function approvalPath(tx: Queryable): Promise<Path> {
  await tx.query(setInternalPath);
  const rows = await tx.query(
    `SELECT n.oid, n.nspname AS name FROM unnest(stage.default_schemas()) WITH ORDINALITY s(name, place)
     JOIN pg_namespace n ON n.nspname = s.name WHERE n.nspname !~ '^pg_(toast_)?temp' ORDER BY s.place`,
  );
  return {
    oids: rows.map(({ oid }) => Number(oid)),
    text: rows.map(({ name }) => quoteIdentifier(String(name))).join(', '),
  };
}

/**
 * Parses and checks the body of a trigger.
 * @param uses gets the names that it uses, even if it is not followed: it may be followed once these change
 */
export async function checkTrigger(
  tx: Queryable,
  table: Table,
  trigger: Trigger,
  path: Path,
  uses: TriggerUses,
): Promise<Followed<TriggerBody>> {
  const { schema, name, body } = trigger.function;
  uses.functions.push({ schema, name });
  const lookup = lookupFor(trigger, path);
  const obstacle =
    tableObstacle(table) ??
    trigger.obstacle ??
    (await definerObstacle(tx, table, trigger)) ??
    actionObstacle(table, trigger);
  if (obstacle !== null) return { obstacle };
  await loadParser();
  if (trigger.function.gated !== null) return orObstacle(async () => gatedBody(trigger));
  const followed = await orObstacle(async () => {
    conditionOf(trigger);
    demandBlock(body);
    return followBody({ tx, table, trigger, uses }, lookup);
  });
  // guard: names of the service's own statements are not found in schemas of users
  await tx.query(setInternalPath);
  return followed;
}

/**
 * Returns the empty body of a compiled function that changes only the row: there is none to follow. Its condition may still be one that
 * cannot be read.
 */
function gatedBody(trigger: Trigger): TriggerBody {
  conditionOf(trigger);
  const replaced = async () => Buffer.alloc(0);
  return { uses: mergedUses([]), replaced, written: [], callsWriters: false, notifies: false };
}

/** Returns the result of the work, or why the trigger does not fire. @throws errors that do not concern the trigger */
export async function orObstacle<Made>(work: () => Promise<Made>): Promise<Followed<Made>> {
  try {
    return { made: await work() };
  } catch (error) {
    if (error instanceof Obstacle) return { obstacle: error.message };
    const isRefusal = error instanceof StageError && error.code === 'statement_not_supported';
    if (isRefusal) return { obstacle: `cannot be followed: ${error.message}` };
    throw error;
  }
}

/**
 * Returns why a trigger does not fire with the rights of its function's owner; null if it may, or fires with the client's. Memberships of
 * the service account decide, which are no part of the table.
 */
async function definerObstacle(
  tx: Queryable,
  { oid, triggers }: Table,
  { name, timing, function: { definer } }: Trigger,
): Promise<string | null> {
  if (definer === null) return null;
  const other = timing === 'after' ? clientsTrigger(triggers) : undefined;
  // one function of the service fires all AFTER triggers of a table, with the rights of the client or with its own
  if (other) return `runs with its owner's rights, and ${other.name} with those of the client`;
  const [row] = await tx.query(
    // the transaction's path may have schemas of users
    `SELECT stage.definer_trigger_obstacle(t.oid) AS obstacle FROM pg_catalog.pg_trigger t
     WHERE t.tgrelid OPERATOR(pg_catalog.=) $1 AND t.tgname OPERATOR(pg_catalog.=) $2`,
    [oid, name],
  );
  return row?.['obstacle'] ?? null;
}

type Found = ReadonlyMap<Trigger, Followed<unknown>>;

const isFollowed = (found: Found, trigger: Trigger) => 'made' in (found.get(trigger) ?? {});

/** Returns the operations for which all triggers fire. */
export const firedOperations = (table: Table, found: Found): readonly Operation[] =>
  operations.filter(
    (operation) =>
      mayFire(table, operation) &&
      rowTriggers(table, operation).every((each) => isFollowed(found, each)),
  );

/**
 * Returns the AFTER triggers that fire for an operation, in order. A trigger sees what those before it did: if one of them does not fire,
 * neither do those behind it.
 */
export function firedAfter(table: Table, operation: Event, found: Found): readonly Trigger[] {
  const before = rowTriggers(table, operation);
  if (before.length > 0 && !firedOperations(table, found).some((each) => each === operation))
    return [];
  const after = endTriggers(table, operation);
  const end = after.findIndex((each) => !isFollowed(found, each));
  return end < 0 ? after : after.slice(0, end);
}

/** Returns the BEFORE STATEMENT triggers that fire for an operation, in order, up to the first one that does not. */
export function firedFirst(table: Table, operation: Event, found: Found): readonly Trigger[] {
  const first = statementTriggers(table, operation, 'before');
  const end = first.findIndex((each) => !isFollowed(found, each));
  return end < 0 ? first : first.slice(0, end);
}

export interface TriggerReport {
  readonly name: string;
  /** Set if it fires with the rights of its function's owner. */
  readonly asOwner?: true;
  /** The name of a BEFORE trigger that does, if it does not fire for a row for which that does not. */
  readonly with?: string;
  /** Set if it fires for some of its operations. The obstacle is that of another one. */
  readonly isPartial?: true;
  /** Null if it fires for all of its operations. */
  readonly obstacle: string | null;
}

/** Returns the report on each of a table's triggers. */
export function triggerReports(table: Table, found: Found): TriggerReport[] {
  return table.triggers.map((trigger) => {
    const followed = found.get(trigger);
    const { name } = trigger;
    if (followed && 'obstacle' in followed) return { name, obstacle: followed.obstacle };
    const fired = trigger.events.filter((event) => fires(table, event, trigger, found));
    const kept = trigger.events.find((event) => !fired.includes(event));
    return {
      name,
      ...(fired.length > 0 && rightsOf(table, trigger)),
      ...(fired.length > 0 && kept !== undefined && { isPartial: true }),
      obstacle: kept === undefined ? null : obstacleBefore(table, kept, trigger, found),
    };
  });
}

/** Returns with whose rights a trigger fires. */
function rightsOf(table: Table, trigger: Trigger): Pick<TriggerReport, 'asOwner' | 'with'> {
  const { timing, level, events } = trigger;
  if (runsAsOwner(trigger)) return { asOwner: true };
  const others =
    timing === 'before' && level === 'statement'
      ? []
      : events.flatMap((event) => rowTriggers(table, event));
  const owners = others.find(runsAsOwner);
  return owners ? { with: owners.name } : {};
}

/** Returns why a trigger that is followed does not fire for an operation. */
function obstacleBefore(
  table: Table,
  kept: Event,
  { timing, level }: Trigger,
  found: Found,
): string {
  const others =
    timing === 'before' && level === 'statement'
      ? statementTriggers(table, kept, 'before')
      : [...rowTriggers(table, kept), ...(timing === 'after' ? endTriggers(table, kept) : [])];
  const other = others.find((each) => !isFollowed(found, each));
  const order = timing === 'after' ? 'after' : 'together with';
  return `fires for ${kept.toUpperCase()} ${order} ${other?.name ?? 'another one'}, which does not fire`;
}

function fires(table: Table, operation: Event, trigger: Trigger, found: Found): boolean {
  if (trigger.timing === 'after') return firedAfter(table, operation, found).includes(trigger);
  return trigger.level === 'row'
    ? firedOperations(table, found).some((each) => each === operation)
    : firedFirst(table, operation, found).includes(trigger);
}

/** Reports for each trigger of a table whether it can be followed. It creates nothing. */
export async function readTriggerReports(
  tx: Queryable,
  table: Table,
  path: Path,
): Promise<TriggerReport[]> {
  const found = new Map<Trigger, Followed<TriggerBody>>();
  for (const each of table.triggers) {
    const uses = noUses();
    found.set(each, await checkTrigger(tx, table, each, await pathOf(tx, each, path), uses));
  }
  return triggerReports(table, found);
}
