/**
 * Installs the triggers that fire while rows are staged: copies of production's. They are made at the first write to a table, and replaced
 * when a trigger, its function, or anything that this calls or reads changes.
 */
import type { Queryable } from '../../db/database.ts';
import type { Table, Trigger } from '../../model/table.ts';
import { distinct } from '../functions/known-functions.ts';
import { replacedBody } from '../functions/replaced-body.ts';
import { installOverlay } from '../install/install.ts';
import { oidArray, overlayName } from '../object-names.ts';
import type { Operation } from '../rows/after-statement.ts';
import { operations } from '../rows/after-statement.ts';
import { isDrawnFirst } from '../rows/row-checks.ts';
import type { Event } from './candidates.ts';
import { mayFire, mayFireAfter, mayFireFirst, rowTriggers } from './candidates.ts';
import { drawTrigger } from './draw.ts';
import { firedTrigger, fireSql } from './fire.ts';
import { fireAfterSql } from './fire-after.ts';
import { movesSql } from './fire-moves.ts';
import { firedSql, firstRun, nextRunsSql } from './fire-runs.ts';
import { firstSql } from './fire-statement.ts';
import { firedUpsertSql } from './fire-upsert.ts';
import { traceSql } from './fire-writing.ts';
import type { Followed, Path } from './follow-triggers.ts';
import {
  approvalPath,
  checkTrigger,
  firedAfter,
  firedFirst,
  firedOperations,
  lookupFor,
  orObstacle,
  pathOf,
  triggerReports,
} from './follow-triggers.ts';
import { replacementsOf } from './transition-tables.ts';
import type { TriggerBody, TriggerUses } from './trigger-body.ts';
import { noUses } from './trigger-body.ts';
import { copySql } from './trigger-copy.ts';
import type { WrittenTable } from './written-tables.ts';

interface Copy {
  readonly script: string;
  readonly written: readonly WrittenTable[];
  readonly notifies: boolean;
}

/** Each copy, or the reason why there is none. */
type Copies = Map<Trigger, Followed<Copy>>;

/** The table whose triggers are installed, and the server's major version. */
interface Target {
  readonly tx: Queryable;
  readonly table: Table;
  readonly server: number;
}

/**
 * Makes the copies of a table's triggers current, and those of the tables that these write to. The overlay must exist.
 * @param open the tables whose triggers are being installed
 */
export async function installTriggers(
  tx: Queryable,
  table: Table,
  server: number,
  open: ReadonlySet<number> = new Set(),
): Promise<void> {
  if (table.triggers.length === 0 || open.has(table.oid) || (await areCurrent(tx, table))) return;
  const [before] = await tx.query('SELECT pg_current_snapshot()::text AS snapshot');
  const path = await approvalPath(tx);
  const uses = noUses();
  const copies: Copies = new Map();
  for (const trigger of table.triggers)
    copies.set(trigger, await follow({ tx, table, server }, trigger, path, uses));
  const fired = firedOperations(table, copies);
  for (const operation of operations)
    if (mayFire(table, operation)) await attach({ tx, table, server }, operation, fired, copies);
  if (mayFireAfter(table)) await attachAfter({ tx, table, server }, copies);
  if (mayFireFirst(table)) await attachFirst({ tx, table, server }, copies);
  // the settings anew: the table may have been read before its triggers' functions changed
  await tx.query(
    `UPDATE stage.overlay SET triggers = $2, trigger_uses = $3, trigger_path = $4, settings = stage.settings_read(),
       trigger_stamp = CASE WHEN $5 THEN stage.stamp_of_reading($3, $4, $6) END WHERE relation = $1`,
    [
      table.oid,
      JSON.stringify(triggerReports(table, copies)),
      JSON.stringify({ ...uses, ...distinct(uses) }),
      oidArray(path.oids),
      // if the table's definition alone excludes all triggers, its signature shows every relevant change
      String(
        mayFireAfter(table) ||
          mayFireFirst(table) ||
          operations.some((operation) => mayFire(table, operation)),
      ),
      before?.['snapshot'] ?? '',
    ],
  );
  const written = [...copies.values()].flatMap((copy) => ('made' in copy ? copy.made.written : []));
  const inner = new Set([...open, table.oid]);
  for (const each of written) await installTriggers(tx, each.table, server, inner);
}

async function areCurrent(tx: Queryable, { oid }: Table): Promise<boolean> {
  const [row] = await tx.query(
    `SELECT FROM stage.overlay WHERE relation = $1 AND triggers <> '[]' AND stage.triggers_fit(relation)`,
    [oid],
  );
  return row !== undefined;
}

/** Follows a trigger. @param uses gets the names that it uses, but the tables that it writes to only if there is a copy that does */
async function follow(
  { tx, table, server }: Target,
  trigger: Trigger,
  path: Path,
  uses: TriggerUses,
): Promise<Followed<Copy>> {
  const own = await pathOf(tx, trigger, path);
  const found: TriggerUses = { ...uses, written: [] };
  const checked = await checkTrigger(tx, table, trigger, own, found);
  if ('obstacle' in checked) return checked;
  const copy = await copied(tx, table, trigger, checked.made, own, server, found);
  if ('made' in copy) uses.written.push(...found.written);
  return copy;
}

function copied(
  tx: Queryable,
  table: Table,
  trigger: Trigger,
  body: TriggerBody,
  path: Path,
  server: number,
  uses: TriggerUses,
): Promise<Followed<Copy>> {
  return orObstacle(async () => {
    const { callsWriters: stages, written, notifies } = body;
    const own = { ...lookupFor(trigger, path), open: new Set<string>() };
    const context = { tx, server, ...own, stages, notifies };
    const text = await replacedBody(body, await replacementsOf(context, trigger, body.uses, uses));
    const script = copySql(table, trigger, text, path.text);
    return { script, written, notifies };
  });
}

/** Makes the triggers of an operation fire for the rows of the overlay, or stops that. */
async function attach(
  { tx, table, server }: Target,
  operation: Operation,
  fired: readonly Operation[],
  copies: Copies,
): Promise<void> {
  const fires = fired.includes(operation);
  const triggers = fires ? rowTriggers(table, operation) : [];
  await makeCopies({ tx, table, server }, triggers, copies);
  const writes = (trigger: Trigger) => writtenBy(copies, trigger).length > 0;
  const isWriting = triggers.some(writes);
  const notifies = (trigger: Trigger) => copyOf(copies, trigger)?.notifies === true;
  const effects = { writes, notifies };
  const moves = operation === 'update' && fires ? movesSql(table, fired, writes) : '';
  await tx.query(fireSql(table, operation, firstRun(triggers), effects, moves));
  const further = [
    ...nextRunsSql(table, operation, triggers, effects),
    ...firedUpsertSql(table, table, operation, fires),
  ];
  for (const each of further) await tx.query(each);
  const view = overlayName(table);
  for (const each of traceSql(table, table, operation, isWriting)) await tx.query(each);
  if (!fires) {
    const draws = operation === 'insert' && !isDrawnFirst(table);
    for (const name of [firedTrigger(operation), ...(draws ? [drawTrigger] : [])])
      await tx.query(`DROP TRIGGER IF EXISTS ${name} ON ${view}`);
  } else for (const each of firedSql(table, table, operation, isWriting)) await tx.query(each);
}

const byEvent = (of: (event: Event) => readonly Trigger[]) => ({
  ...{ insert: of('insert'), update: of('update') },
  ...{ delete: of('delete'), truncate: of('truncate') },
});

/** Makes the functions current that fire AFTER triggers. */
async function attachAfter(target: Target, copies: Copies): Promise<void> {
  const { tx, table } = target;
  const triggers = byEvent((event) => firedAfter(table, event, copies));
  await makeCopies(target, [...new Set(Object.values(triggers).flat())], copies);
  const writing = (trigger: Trigger) => writtenBy(copies, trigger).length > 0;
  for (const each of fireAfterSql(table, triggers, writing)) await tx.query(each);
}

/** Makes the function current that fires BEFORE STATEMENT triggers. */
async function attachFirst(target: Target, copies: Copies): Promise<void> {
  const { tx, table } = target;
  const triggers = byEvent((event) => firedFirst(table, event, copies));
  await makeCopies(target, [...new Set(Object.values(triggers).flat())], copies);
  await tx.query(firstSql(table, triggers));
}

function writtenBy(copies: Copies, trigger: Trigger): readonly WrittenTable[] {
  return copyOf(copies, trigger)?.written ?? [];
}

function copyOf(copies: Copies, trigger: Trigger): Copy | null {
  const copy = copies.get(trigger);
  return copy && 'made' in copy ? copy.made : null;
}

async function makeCopies(
  { tx, server }: Target,
  triggers: readonly Trigger[],
  copies: Copies,
): Promise<void> {
  for (const each of triggers) {
    const copy = copies.get(each);
    if (!copy || !('made' in copy)) continue;
    await tx.query(copy.made.script);
    for (const { table, linked } of copy.made.written) {
      for (const each of linked) await installOverlay(tx, each, server);
      await tx.query('SELECT stage.keep_effects($1)', [table.oid]);
    }
  }
}
