/** Builds, rebuilds or confirms the view of a table with those that inherit from it, inside the caller's transaction. */
import { createHash } from 'node:crypto';
import { readTable } from '../../db/catalog-reader.ts';
import type { Queryable } from '../../db/database.ts';
import type { Table } from '../../model/table.ts';
import { generationOn } from '../generation.ts';
import { installOverlay } from '../install/install.ts';
import { readLinkedTable } from '../install/linked-tables.ts';
import { oidArray, treeSchema } from '../object-names.ts';
import { makeSchema } from '../schemas.ts';
import { treeSql, treeTriggersSql } from './tree.ts';

/** Lists the tables of an inheritance tree by OID, its root first. */
export async function treeTables(tx: Queryable, root: number): Promise<number[]> {
  const rows = await tx.query('SELECT t FROM stage.truncated_tables($1, false) t', [root]);
  return rows.map(({ t }) => Number(t));
}

/**
 * Makes the view of a table and its children current. The overlays of those that can be staged must be current.
 * @param server major version of PostgreSQL
 * @returns whether it is writable: every row can be staged through it
 */
export async function installTree(tx: Queryable, root: number, server: number): Promise<boolean> {
  const [before] = await tx.query('SELECT stage.tree_stamp($1) AS stamp', [root]);
  const all = await Promise.all((await treeTables(tx, root)).map((oid) => readTable(tx, oid)));
  const tables = all.filter((table) => table !== null);
  const members: Table[] = [];
  for (const each of tables) {
    const member = await readLinkedTable(tx, each);
    if (member === null) continue;
    members.push(member);
    if (member.obstacle !== null) await installOverlay(tx, member, server);
  }
  const table = [...members, ...tables].find(({ oid }) => oid === root);
  if (table === undefined) return false;
  const isWhole = members.length === tables.length;
  const signature = signatureOf(tables);
  const [installed] = await tx.query(
    `SELECT FROM stage.tree WHERE relation = $1 AND signature = $2 AND NOT starts_with(stamp, 'outdated ')`,
    [root, signature],
  );
  if (installed === undefined) {
    await tx.query('SELECT stage.drop_stand_ins($1, true)', [root]);
    await makeSchema(tx, treeSchema(table));
    const script = [
      treeSql(table, members),
      ...(isWhole ? treeTriggersSql(table, members, server) : []),
    ];
    await tx.query(script.join(';\n'));
  }
  await tx.query(
    `INSERT INTO stage.tree (relation, namespace, table_name, members, signature, stamp, generation)
     VALUES ($1, $2, $3, $4::oid[], $5, $7, $6)
     ON CONFLICT (relation) DO UPDATE SET stamp = excluded.stamp`,
    [
      root,
      table.namespaceOid,
      table.name,
      oidArray(members.map(({ oid }) => oid)),
      signature,
      generationOn(server),
      // guard: a change that is committed while a tree is made is not taken for part of it
      before?.['stamp'] ?? null,
    ],
  );
  return isWhole;
}

/** Returns a hash of everything that determines the view. */
function signatureOf(tables: readonly Table[]): string {
  const parts = tables.map(({ oid, signature, obstacle }) => [oid, signature, obstacle]);
  return createHash('md5').update(JSON.stringify(parts)).digest('hex');
}
