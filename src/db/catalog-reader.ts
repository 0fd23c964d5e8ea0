/** Reads the definition of a production table. */
import type { Index, Table } from '../model/table.ts';
import type { Queryable } from './database.ts';

/** The members that are not in the definition. */
type Read = 'signature' | 'stamp' | 'statementStamps' | 'indexes' | 'settings';

type ReadTable = (oid: number) => Promise<Table | null>;

/** How transactions read tables, if not from the catalog. */
const readers = new WeakMap<Queryable, ReadTable>();

/** Makes `readTable` read the tables of a transaction in another way. */
export const readTablesBy = (tx: Queryable, read: ReadTable): void => {
  readers.set(tx, read);
};

/**
 * Returns the table's definition with its signature, or null if no relation has this OID. The stamps are of the same snapshot: a change
 * that another connection commits later differs from them, so that the next statement notices it. The definition is consistent only inside
 * a transaction.
 */
export const readTable = (db: Queryable, oid: number): Promise<Table | null> =>
  readers.get(db)?.(oid) ?? readFromCatalog(db, oid);

/**
 * Reads a table's definition from the catalog, as `readTable` describes it.
 * @param settings returns the result of `settingsRead`
 */
export async function readFromCatalog(
  db: Queryable,
  oid: number,
  settings = () => settingsRead(db),
): Promise<Table | null> {
  const [row] = await db.query(
    `SELECT d::text AS definition, md5(d::text) AS signature, stage.table_indexes($1::oid)::text AS indexes,
       concat_ws(' ', stage.definition_stamp($1::oid), stage.system_stamp()) AS stamp,
       stage.table_stamp($1::oid) AS table_stamp, stage.partitions_stamp($1::oid) AS partitions_stamp,
       (SELECT nullif(c.relfilenode, 0) FROM pg_class c WHERE c.oid = $1::oid) AS storage
     FROM stage.table_definition($1::oid) d`,
    [oid],
  );
  if (row === undefined || row['definition'] == null) return null;
  return {
    ...(JSON.parse(row['definition']) as Omit<Table, Read>),
    indexes: JSON.parse(row['indexes'] ?? '[]') as Index[],
    settings: await settings(),
    signature: row['signature'] ?? '',
    stamp: row['stamp'] ?? '',
    statementStamps: {
      table: row['table_stamp'] ?? '',
      partitions: row['partitions_stamp'] ?? null,
      storage: row['storage'] ?? null,
    },
  };
}

/** Returns the names of the settings of applications that code of users reads, in the whole database. It reads whole catalogs. */
export async function settingsRead(db: Queryable): Promise<readonly string[]> {
  const [row] = await db.query('SELECT to_json(stage.settings_read())::text AS settings');
  return JSON.parse(row?.['settings'] ?? '[]') as string[];
}

/** Returns the length of the longest chain of foreign keys above a table. Parents are written before children. */
export async function foreignKeyRank(db: Queryable, oid: number): Promise<number> {
  const [row] = await db.query(
    `WITH RECURSIVE above(relation, depth, path) AS (
       SELECT $1::oid, 0, ARRAY[$1::oid]
       UNION ALL
       SELECT f.parent, a.depth + 1, a.path || f.parent
       FROM above a JOIN (
         SELECT coalesce(pg_partition_root(c.conrelid), c.conrelid)::oid AS child, coalesce(pg_partition_root(c.confrelid), c.confrelid)::oid AS parent
         FROM pg_constraint c WHERE c.contype = 'f') f ON f.child = a.relation
       WHERE f.parent <> ALL (a.path) AND a.depth < 20)
     SELECT max(depth) AS rank FROM above`,
    [oid],
  );
  return Number(row?.['rank'] ?? 0);
}

/** Returns the server's major version. */
export async function serverMajor(db: Queryable): Promise<number> {
  const [row] = await db.query(`SELECT current_setting('server_version_num') AS number`);
  return majorOf(row?.['number']);
}

/** Returns the major version in a `server_version_num`. A database's own cast from text to integer has no part in it. */
export const majorOf = (versionNumber: unknown) => Math.trunc(Number(versionNumber) / 10_000);
