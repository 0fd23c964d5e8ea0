/**
 * The state of a server in lines, so that a difference names its place: everything in a database that an attack must not change, and the
 * server's state outside of it. Sequences may advance: "INSERT and SELECT nextval(...) draw from production's sequences" (docs/limits.md).
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestDatabase } from '../../helpers/database.ts';
import { fingerprint } from '../fingerprint.ts';

const catalogLine = (name: string) =>
  `SELECT concat_ws(' ', '${name}', count(*), md5(coalesce(string_agg(concat(c.ctid, c.xmin), ',' ORDER BY c.ctid), ''))) AS line FROM ${name} c`;

/** Catalogs that neither staging nor reading changes. */
const catalogs = ['pg_collation', 'pg_replication_origin', 'pg_largeobject', 'pg_db_role_setting'];

/** The state of production's tables that ANALYZE, REINDEX, CLUSTER and functions that repair or break storage change. */
const storage = `
SELECT concat_ws(' ', 'storage', c.oid::regclass, c.relfilenode, c.relfrozenxid, pg_relation_size(c.oid),
  pg_relation_size(c.oid, 'vm') > 0, i.indisclustered, (SELECT concat(count(*), md5(string_agg(format('%s', s.xmin), ','))) FROM pg_statistic s WHERE s.starelid = c.oid)) AS line
FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'i') AND c.relname !~ '[0-9]' ORDER BY c.oid`;

/** The columns of pg_class that ANALYZE, REINDEX and CLUSTER write in place: they stay even after a rollback. */
const estimates = `
SELECT concat_ws(' ', 'estimates', c.oid::regclass, c.relpages, c.reltuples, c.relallvisible) AS line
FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'i') AND c.relname !~ '[0-9]' ORDER BY c.oid`;

/** Statistics views that report when they were reset. The version determines which exist. */
const statistics = `
SELECT format('SELECT concat_ws('' '', ''%s'', count(DISTINCT stats_reset), max(stats_reset)) AS line FROM %s %s', c.relname, c.oid::regclass,
  CASE WHEN c.relname = 'pg_stat_database' THEN 'WHERE datname = current_database() OR datname IS NULL' END) AS query
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'stats_reset' WHERE c.relkind = 'v' ORDER BY c.relname`;

const server = `
SELECT concat_ws(' ', 'loaded', pg_conf_load_time(), 'started', pg_postmaster_start_time()) AS line
UNION ALL SELECT 'settings ' || md5(string_agg(concat_ws('=', name, setting), ',' ORDER BY name)) FROM pg_settings WHERE source <> 'client' AND context <> 'internal' AND name !~ '[.]'
UNION ALL SELECT concat_ws(' ', 'lock', l.classid, l.objid, l.objsubid, l.mode) FROM pg_locks l
  WHERE l.locktype = 'advisory' AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
UNION ALL SELECT concat_ws(' ', 'process', backend_type, count(*)) FROM pg_stat_activity
  WHERE backend_type NOT IN ('client backend', 'parallel worker') OR application_name = 'reached' GROUP BY backend_type`;

/** Folders of the data folder that change with every transaction. Other lines report their content. */
const restless =
  /^(base|pg_wal|pg_xact|pg_subtrans|pg_multixact|pg_commit_ts|pg_notify|pg_stat|pg_stat_tmp|pg_serial|pg_dynshmem)$/;

/** Returns the state in lines. */
export async function takeState(database: TestDatabase): Promise<string[]> {
  const [place] = await database.query<{ folder: string }>(
    `SELECT current_setting('data_directory') AS folder`,
  );
  const resets = await database.query<{ query: string }>(statistics);
  const queries = [
    storage,
    estimates,
    server,
    ...catalogs.map(catalogLine),
    ...resets.map(({ query }) => query),
  ];
  const lines = await database.query<{ line: string }>(
    queries.map((query) => `(${query})`).join(' UNION ALL '),
  );
  return [
    ...(await fingerprint(database)),
    ...lines.map(({ line }) => line),
    ...(await filesIn(String(place?.folder), '')),
  ];
}

async function filesIn(folder: string, within: string): Promise<string[]> {
  const lines: string[] = [];
  for (const entry of await readdir(join(folder, within), { withFileTypes: true })) {
    const path = join(within, entry.name);
    if (entry.isDirectory()) {
      if (!restless.test(path)) lines.push(...(await filesIn(folder, path)));
      continue;
    }
    const found = await stat(join(folder, path)).catch(() => null);
    // The server writes its control file at any time.
    if (found && path !== 'global/pg_control' && !/^global\/(\d+|pg_internal)/.test(path))
      lines.push(`file ${path} ${found.size} ${found.mtimeMs}`);
  }
  return lines.sort();
}

/** Returns whether SECURITY.md allows the effect of a call of the function: the estimates that a command in it leaves when it is undone. */
export const isAllowed = (effect: string, calledFunction: string): boolean =>
  /^[-+] estimates /.test(effect) && /\b(?:analyzes|reindexes|clusters)\b/.test(calledFunction);

/** Returns the added and removed lines. */
export function changesOf(before: readonly string[], after: readonly string[]): string[] {
  const [had, has] = [new Set(before), new Set(after)];
  return [
    ...before.filter((line) => !has.has(line)).map((line) => `- ${line.slice(0, 400)}`),
    ...after.filter((line) => !had.has(line)).map((line) => `+ ${line.slice(0, 400)}`),
  ];
}

/** Returns what a transaction holds until its end: advisory locks under the numbers of values.ts, and exported snapshots. */
export async function takeHeld(database: TestDatabase): Promise<string[]> {
  const rows = await database.query<{ line: string }>(
    `SELECT concat_ws(' ', 'held lock', classid, objid, objsubid, mode) AS line FROM pg_locks
     WHERE locktype = 'advisory' AND objid = ANY ('{0,1,2,7,4711,4294967295}'::oid[])
     UNION ALL SELECT 'snapshot ' || f FROM pg_ls_dir('pg_snapshots') f`,
  );
  return rows.map(({ line }) => line);
}
