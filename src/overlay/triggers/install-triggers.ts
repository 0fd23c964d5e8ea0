/**
 * Installs the triggers that fire while rows are staged: copies of production's. They are made at the first write to a table, and replaced
 * when a trigger, its function, or anything that this calls or reads changes.
 */
import type { Queryable } from '../../db/database.ts';
import type { Table, Trigger } from '../../model/table.ts';
import type { FunctionBody } from '../../sql/functions/body-uses.ts';
import { Obstacle } from '../functions/function-script.ts';
import type { FoundUses } from '../functions/staged-function.ts';
import { distinct, replacementsIn } from '../functions/staged-function.ts';
import { oidArray, overlayName } from '../object-names.ts';
import type { Operation } from '../rows/after-statement.ts';
import { operations } from '../rows/after-statement.ts';
import { mayFire, mayFireAfter, rowTriggers } from './candidates.ts';
import { firedSql, firedTrigger, fireSql } from './fire.ts';
import { fireAfterSql } from './fire-after.ts';
import type { Followed, Path } from './follow-triggers.ts';
import {
  approvalPath,
  checkTrigger,
  firedAfter,
  firedOperations,
  orObstacle,
  triggerReports,
} from './follow-triggers.ts';
import { copySql } from './trigger-copy.ts';

/** The script of each copy, or the reason why there is none. */
type Copies = Map<Trigger, Followed<string>>;

/** Makes the copies of a table's triggers current. The overlay must exist. */
export async function installTriggers(tx: Queryable, table: Table, server: number): Promise<void> {
  if (table.triggers.length === 0 || (await areCurrent(tx, table))) return;
  const path = await approvalPath(tx);
  const uses: FoundUses = { relations: [], functions: [] };
  const copies: Copies = new Map();
  for (const trigger of table.triggers) {
    const checked = await checkTrigger(tx, table, trigger, path, uses);
    const copy =
      'made' in checked
        ? await copied(tx, table, trigger, checked.made, path, server, uses)
        : checked;
    copies.set(trigger, copy);
  }
  const fired = firedOperations(table, copies);
  for (const operation of operations)
    if (mayFire(table, operation))
      await attach(tx, table, operation, fired.includes(operation), copies);
  if (mayFireAfter(table)) await attachAfter(tx, table, copies);
  await tx.query(
    `UPDATE stage.overlay SET triggers = $2, trigger_uses = $3, trigger_path = $4,
       trigger_stamp = CASE WHEN $5 THEN stage.function_stamp($3, $4) END WHERE relation = $1`,
    [
      table.oid,
      JSON.stringify(triggerReports(table, copies)),
      JSON.stringify(distinct(uses)),
      oidArray(path.oids),
      // where the table's definition alone excludes all triggers, its signature shows changes
      String(mayFireAfter(table) || operations.some((operation) => mayFire(table, operation))),
    ],
  );
}

async function areCurrent(tx: Queryable, { oid }: Table): Promise<boolean> {
  const [row] = await tx.query(
    `SELECT FROM stage.overlay WHERE relation = $1 AND triggers <> '[]' AND stage.triggers_fit(relation)`,
    [oid],
  );
  return row !== undefined;
}

function copied(
  tx: Queryable,
  table: Table,
  trigger: Trigger,
  body: FunctionBody,
  path: Path,
  server: number,
  uses: FoundUses,
): Promise<Followed<string>> {
  return orObstacle(async () => {
    const context = { tx, path: path.oids, server, open: new Set<string>() };
    const text = await body.replaced(await replacementsIn(context, body.uses, uses));
    if (text === null) throw new Obstacle('cannot be followed');
    return copySql(table, trigger, text.toString(), path.text);
  });
}

/** Makes the triggers of an operation fire for the rows of the overlay, or stops that. */
async function attach(
  tx: Queryable,
  table: Table,
  operation: Operation,
  fires: boolean,
  copies: Copies,
): Promise<void> {
  const triggers = fires ? rowTriggers(table, operation) : [];
  await makeCopies(tx, triggers, copies);
  await tx.query(fireSql(table, operation, triggers));
  const view = overlayName(table);
  if (!fires) await tx.query(`DROP TRIGGER IF EXISTS ${firedTrigger(operation)} ON ${view}`);
  else for (const each of firedSql(table, operation, view)) await tx.query(each);
}

/** Makes the functions current that fire AFTER triggers. */
async function attachAfter(tx: Queryable, table: Table, copies: Copies): Promise<void> {
  const of = (operation: Operation) => firedAfter(table, operation, copies);
  const triggers = { insert: of('insert'), update: of('update'), delete: of('delete') };
  await makeCopies(tx, [...new Set(Object.values(triggers).flat())], copies);
  for (const each of fireAfterSql(table, triggers)) await tx.query(each);
}

async function makeCopies(
  tx: Queryable,
  triggers: readonly Trigger[],
  copies: Copies,
): Promise<void> {
  for (const each of triggers) {
    const copy = copies.get(each);
    if (copy && 'made' in copy) await tx.query(copy.made);
  }
}
