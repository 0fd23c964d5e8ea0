/** Makes the policies of tables count what a session has staged in the tables that they read. */
import type { Queryable } from '../../db/database.ts';
import type { Table } from '../../model/table.ts';
import { distinct } from '../functions/known-functions.ts';
import { oidArray } from '../object-names.ts';
import { ownPolicyFunctionsSql } from '../rows/policies.ts';
import { ownRowsViewSql } from '../rows/view.ts';
import type { FollowedPolicies } from './follow-policies.ts';
import { behind, followPolicies } from './follow-policies.ts';

/**
 * Follows the policies of all tables whose overlays are new, and again those of the given tables if what they read has changed. The
 * overlays must exist.
 */
export async function installPolicies(
  tx: Queryable,
  server: number,
  tables: readonly Table[] = [],
): Promise<void> {
  const isOpen = `policy_stamp = 'new' OR relation = ANY ($1::oid[]) AND NOT stage.policies_fit(relation)`;
  const rows = await tx.query(
    `SELECT relation, pg_current_snapshot()::text AS snapshot FROM stage.overlay WHERE ${isOpen}`,
    [oidArray(tables.map(({ oid }) => oid))],
  );
  if (rows.length === 0) return;
  const done = new Set<number>();
  for (const { relation, snapshot } of rows) {
    if (done.has(Number(relation))) continue;
    const found = await followPolicies(tx, Number(relation), server);
    for (const oid of found.keys()) {
      // following others may have rebuilt its overlay
      await install(tx, oid, behind(found, oid), snapshot ?? '');
      done.add(oid);
    }
    await forgetUnfollowed(tx, Number(relation));
  }
}

/**
 * Installs the policies of a table, unless they are current: replacing a view waits for its readers.
 * @param followed its own, and those of the tables that they read
 */
async function install(
  tx: Queryable,
  oid: number,
  followed: readonly FollowedPolicies[],
  snapshot: string,
): Promise<void> {
  const own = followed.find(({ table }) => table.oid === oid);
  const [before] = await tx.query(
    `SELECT coalesce(policy_uses ? 'isMade', false) AS made, policy_stamp IS NULL OR policy_stamp <> 'new' AND stage.policies_fit(relation) AS fits
     FROM stage.overlay WHERE relation = $1`,
    [oid],
  );
  if (own === undefined || before === undefined || before['fits'] === 't') return;
  // guard: a table whose policies read a table that cannot be followed is not followed
  const isFollowed = own.isStaged && followed.every(({ obstacle }) => obstacle === null);
  const wasMade = before['made'] === 't';
  if (isFollowed) await tx.query(ownPolicyFunctionsSql(own.table, own.policies).join(';\n'));
  if (isFollowed && !wasMade) await tx.query(ownRowsViewSql(own.table));
  const uses = {
    ...distinct({
      relations: followed.flatMap((each) => each.uses.relations),
      functions: followed.flatMap((each) => each.uses.functions),
    }),
    // the view that was made remains
    ...((isFollowed || wasMade) && { isMade: true }),
    ...(isFollowed && readBy(followed)),
  };
  // if they read nothing, the table's own stamp shows each change after which they may
  const reads = own.isStaged || own.obstacle !== null || wasMade;
  await tx.query(
    `UPDATE stage.overlay SET policy_uses = CASE WHEN $2 THEN $3::jsonb END,
       policy_stamp = CASE WHEN $2 THEN stage.stamp_of_reading($3, ARRAY['pg_catalog'::regnamespace::oid], $4) END WHERE relation = $1`,
    [oid, String(reads), JSON.stringify(uses), snapshot],
  );
}

/** Returns the tables that policies read, and those among them that they read with the client's rights. */
function readBy(followed: readonly FollowedPolicies[]) {
  const read = followed.flatMap((each) => each.read);
  const oids = (relations: typeof read) => [...new Set(relations.map(({ oid }) => oid))];
  const asCaller = read.filter((each) => each.isTable && each.asCaller);
  return { tables: oids(read), asCaller: oids(asCaller) };
}

/** A table that cannot be staged any more, or has no policies any more, is not followed at the next statement, either. */
async function forgetUnfollowed(tx: Queryable, relation: number): Promise<void> {
  await tx.query(
    `UPDATE stage.overlay SET policy_stamp = NULL WHERE relation = $1 AND policy_stamp = 'new'`,
    [relation],
  );
}
