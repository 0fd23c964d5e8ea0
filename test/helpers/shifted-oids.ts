/** Databases whose tables have the OIDs that other tables have in another cluster. */
import type { Cluster } from './clusters.ts';
import { dumpAndRestore } from './clusters.ts';
import { assert } from './suite.ts';

/** Returns SQL that skips OIDs. */
export const skipOids = (count: number) =>
  `SELECT lo_unlink(lo_create(0)) FROM generate_series(1, ${count});`;

/**
 * Skips OIDs in a fresh cluster, so that a restore gives tables the OIDs of the origin. A first restore, into a database of its own,
 * tells how many OIDs are assigned before the first table.
 * @param database its name in both clusters; empty in `other`
 * @param tables the names of its tables
 */
export async function shiftOids(
  origin: Cluster,
  other: Cluster,
  database: string,
  tables: readonly string[],
): Promise<void> {
  await other.query('postgres', 'CREATE DATABASE trial');
  const start = await nextOid(other);
  await dumpAndRestore(origin.urlOf(database), other.urlOf('trial'));
  const before = (await firstTable(other, 'trial', tables)) - start;
  const skipped = (await firstTable(origin, database, tables)) - before - (await nextOid(other));
  assert.ok(skipped >= 0, `the OIDs of the origin are ${-skipped} too low`);
  for (let left = skipped; left > 0; left -= 1300)
    await other.query(database, skipOids(Math.min(left, 1300)));
}

/** Returns an OID that the cluster just assigned, and did not keep. */
async function nextOid(cluster: Cluster): Promise<number> {
  const [{ next } = { next: 0 }] = await cluster.query<{ next: number }>(
    'postgres',
    'SELECT lo_create(0)::int AS next',
  );
  await cluster.query('postgres', `SELECT lo_unlink(${next})`);
  return next;
}

/** Returns the OID of the table that was created first. */
async function firstTable(
  cluster: Cluster,
  database: string,
  tables: readonly string[],
): Promise<number> {
  const [{ first } = { first: 0 }] = await cluster.query<{ first: number }>(
    database,
    `SELECT min(oid)::int AS first FROM pg_class WHERE relkind = 'r' AND relname IN (${tables.map((name) => `'${name}'`).join(',')})`,
  );
  return first;
}
