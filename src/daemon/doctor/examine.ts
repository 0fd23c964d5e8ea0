/** Examines the upstream: the service account, the server, the tables, and what a client's role could do without the proxy. */

import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../../config/schema.ts';
import { lostSettings, readBack } from '../../db/connection-settings.ts';
import type { Database, Row } from '../../db/database.ts';
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { StageError } from '../../errors.ts';
import { columnsMatching } from '../../model/column-patterns.ts';
import { shownName } from '../../model/table.ts';
import { unstagedFunctions } from '../../overlay/functions/unstaged-functions.ts';
import { unfollowedPolicies } from '../../overlay/install/unfollowed-policies.ts';
import { unstagedTriggers } from '../../overlay/triggers/unstaged-triggers.ts';
import { divideConnections, readSlots } from '../upstream/connection-budget.ts';
import type { Fault, FaultName } from './faults.ts';
import { faults } from './faults.ts';

export interface Finding extends Fault {
  readonly name: FaultName;
  /** Its subjects: roles, tables, functions, settings. */
  readonly subjects: readonly string[];
}

const levels = ['danger', 'warning', 'note'];

/** The settings that must fit the upstream. */
export type FittingSettings = Pick<Settings, 'maxConnections' | 'conflictIgnoreColumns'>;

export interface Upstream {
  readonly db: Database;
  /** Opens another pool of one connection to the same upstream, which may lose settings. */
  readonly open: () => Database;
  readonly settings: FittingSettings;
}

/**
 * Examines everything. Returns the findings, worst first.
 * @param role the role that clients log in with; null skips the checks of clients
 * @throws StageError `not_found` if there is no such role
 */
export async function examine(
  { db, open, settings }: Upstream,
  role: string | null,
): Promise<Finding[]> {
  const client = role === null ? [] : await clientFaults(db, role);
  return gather([
    ...client,
    ...(await pathFaults(open)),
    ...(await socketFaults(db)),
    ...(await settingFaults(db, settings)),
    ...(await serviceFaults(db)),
    ...(await codeFaults(db)),
  ]);
}

/** Examines only the parts that a daemon can examine while it serves: the fit of its settings, and the service in the database. */
export async function examineService(db: Database, settings: FittingSettings): Promise<Finding[]> {
  return gather([...(await settingFaults(db, settings)), ...(await serviceFaults(db))]);
}

async function settingFaults(db: Database, settings: FittingSettings): Promise<Row[]> {
  return [
    ...(await connectionFaults(db, settings.maxConnections)),
    ...(await patternFaults(db, settings.conflictIgnoreColumns)),
  ];
}

/** Finds patterns that match no column of any table. With such a typo, changes of the intended column count as conflicts. */
async function patternFaults(db: Database, patterns: readonly string[]): Promise<Row[]> {
  if (patterns.length === 0) return [];
  const service = { is_internal: await internalSchema(db) };
  const tables = await db.query(fillSql(loadSql('doctor/columns.sql'), service));
  const known = tables.map(({ schema, name, columns }) => ({
    table: shownName(String(schema), String(name)),
    columns: new Set(JSON.parse(String(columns)) as string[]),
  }));
  const fits = (pattern: string) =>
    known.some(({ table, columns }) =>
      columnsMatching([pattern], table).some((column) => columns.has(column)),
    );
  return patterns
    .filter((pattern) => !fits(pattern))
    .map((subject) => ({ fault: 'ignored_columns_unknown', subject }));
}

async function connectionFaults(db: Database, configured: number | null): Promise<Row[]> {
  const slots = await readSlots(db);
  const free = slots.most - slots.taken;
  const { clients } = divideConnections(slots);
  const subject = `${configured ?? clients} of ${free}`;
  if (configured === null || configured <= clients) return [{ fault: 'connections', subject }];
  return [{ fault: 'connections_configured', subject: `${subject}, instead of ${clients}` }];
}

async function serviceFaults(db: Database): Promise<Row[]> {
  const service = { is_internal: await internalSchema(db) };
  const found = await db.query(fillSql(loadSql('doctor/service.sql'), service));
  if (service.is_internal === nobodys) return found;
  return [...found, ...(await db.query(fillSql(loadSql('doctor/tables.sql'), service)))];
}

/**
 * Finds triggers that do not fire while staging, functions that are not staged, and policies that are not followed. Reads their bodies: only
 * for `stage doctor`, not while a daemon starts.
 */
async function codeFaults(db: Database): Promise<Row[]> {
  // an account that has not installed this release cannot read them: other faults say so
  const [row] = await db.query(
    `SELECT to_regproc('stage.table_triggers') IS NOT NULL
       AND has_function_privilege(to_regprocedure('stage.default_search_path()'), 'EXECUTE') AS readable`,
  );
  if (row?.['readable'] !== 't') return [];
  const triggers = await unstagedTriggers(db);
  const functions = await unstagedFunctions(db);
  const policies = await unfollowedPolicies(db);
  return [
    ...triggers.map((subject) => ({ fault: 'trigger_not_staged', subject })),
    ...functions.map((subject) => ({ fault: 'function_not_staged', subject })),
    ...policies.map((subject) => ({ fault: 'policies_not_followed', subject })),
  ];
}

/** The condition of `internalSchema` if the service is not installed: no schema is its own. */
const nobodys = 'false';

/** Returns the SQL condition for schemas `n` of the service. */
export async function internalSchema(db: Database): Promise<string> {
  const [row] = await db.query(
    `SELECT to_regproc('stage.is_internal_schema') IS NOT NULL AS there`,
  );
  return row?.['there'] === 't' ? 'stage.is_internal_schema(n.oid)' : nobodys;
}

async function clientFaults(db: Database, role: string): Promise<Row[]> {
  const [known] = await db.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
  if (known !== undefined) {
    const service = { is_internal: await internalSchema(db) };
    return db.query(fillSql(loadSql('doctor/client.sql'), service), [role]);
  }
  throw new StageError('not_found', `there is no role ${JSON.stringify(role)}`, {
    hint: 'Name the role that clients log in with; stage doctor --print-role prints how to make one.',
  });
}

/**
 * Checks whether connections keep their settings, and whether two statements of one connection may run on different backends, as
 * behind a transaction-mode pooler.
 */
async function pathFaults(open: () => Database): Promise<Row[]> {
  const [first, second] = [open(), open()];
  try {
    const backend = async () => (await first.query('SELECT pg_backend_pid() AS pid'))[0]?.['pid'];
    const before = await backend();
    // behind a pooler, the other connection takes the backend that has just become free
    const after = await second.transaction(async (tx) => {
      await tx.query('SELECT 1');
      return backend();
    });
    const [read] = await first.query(readBack.text, readBack.values);
    const lost = lostSettings(read?.['settings'] ?? null);
    return [...(before === after ? [] : ['backend']), ...lost].map((subject) => ({
      fault: 'pooler',
      subject,
    }));
  } finally {
    await Promise.all([first.close(), second.close()]);
  }
}

/** Returns a row if both ends of the connection have the same address. The directories are null if the role may not read the setting. */
const selectSockets = `
SELECT inet_server_port() AS port, (SELECT s.setting FROM pg_settings s WHERE s.name = 'unix_socket_directories') AS directories
WHERE inet_server_addr() = inet_client_addr()`;

/** The default directories of PostgreSQL's packages and of builds from source. */
const usualDirectories = '/var/run/postgresql, /tmp';

/** Finds Unix sockets of a server on this host that is reached by TCP. */
async function socketFaults(db: Database): Promise<Row[]> {
  const [row] = await db.query(selectSockets);
  if (row === undefined) return [];
  const directories = (row['directories'] ?? usualDirectories)
    .split(',')
    .map((each) => each.trim());
  const found = await Promise.all(
    directories.map((each) =>
      access(join(each, `.s.PGSQL.${row['port']}`)).then(
        () => [{ fault: 'upstream_by_tcp', subject: each }],
        () => [],
      ),
    ),
  );
  return found.flat();
}

function gather(rows: readonly Row[]): Finding[] {
  const subjects = new Map<FaultName, string[]>();
  for (const { fault, subject } of rows) {
    const name = fault as FaultName;
    subjects.set(name, [...(subjects.get(name) ?? []), String(subject)]);
  }
  return [...subjects]
    .map(([name, list]) => ({ name, ...faults[name], subjects: [...new Set(list)] }))
    .sort((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level));
}
