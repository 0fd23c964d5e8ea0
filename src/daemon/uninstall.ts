/** Removes the service from its database: exactly the service's schemas, with all that is in them. */
import type { Database } from '../db/database.ts';
import { loadSql } from '../db/sql-file.ts';
import { StageError } from '../errors.ts';
import { quoteIdentifier } from '../identifier.ts';

export interface Removal {
  /** SQL statements in order. Each may run in a separate transaction. */
  readonly statements: readonly string[];
  /** Names of the schemas that are dropped. */
  readonly schemas: readonly string[];
  readonly database: string;
  /** Number of sessions that are active or proposed, and of audit entries. */
  readonly undecided: number;
  readonly entries: number;
  /** Number of connections of daemons that serve the database. */
  readonly served: number;
  /** The same as a script for psql. */
  readonly script: string;
}

const counts = `
SELECT current_database() AS database, current_user AS account,
  (SELECT count(*) FROM pg_stat_activity a WHERE a.datname = current_database() AND a.application_name = 'stage'
    AND a.pid <> pg_backend_pid()) AS served`;

const holdings = `
SELECT (SELECT count(*) FROM stage.session WHERE status IN ('active', 'proposed')) AS undecided,
  (SELECT count(*) FROM stage.audit) AS entries`;

/** Determines what would be removed, and changes nothing. */
export async function planRemoval(db: Database): Promise<Removal> {
  const [there] = await db.query(counts);
  const rows = await db.query(loadSql('uninstall.sql'));
  const hasSessions = rows.length > 0 && (await hasTables(db));
  const [held] = hasSessions ? await db.query(holdings).catch(explain) : [];
  const statements = rows.map(({ statement }) => String(statement));
  const schemas = rows.flatMap(({ schema }) => schema ?? []);
  const database = String(there?.['database']);
  return {
    statements,
    schemas,
    database,
    undecided: Number(held?.['undecided'] ?? 0),
    entries: Number(held?.['entries'] ?? 0),
    served: Number(there?.['served']),
    script: scriptOf(statements, database, String(there?.['account'])),
  };
}

async function hasTables(db: Database): Promise<boolean> {
  const [row] = await db.query(
    `SELECT to_regclass('stage.session') IS NOT NULL AND to_regclass('stage.audit') IS NOT NULL AS there`,
  );
  return row?.['there'] === 't';
}

/** Refuses a removal that loses staged changes, or while a daemon runs. @throws StageError `session_busy` */
export function refuseLoss({ undecided, served }: Removal): void {
  if (undecided > 0) {
    const sessions = undecided === 1 ? '1 session is' : `${undecided} sessions are`;
    throw new StageError(
      'session_busy',
      `${sessions} active or proposed: what is staged would be lost`,
      { hint: 'Approve, reject or delete them first, or repeat the command with --force.' },
    );
  }
  if (served === 0) return;
  throw new StageError('session_busy', 'a daemon serves the database', {
    hint: 'Stop it first, or repeat the command with --force.',
  });
}

/** Number of objects that are dropped in one transaction: each takes a lock. */
const atOnce = 100;

/** Removes the service. Can be repeated after an interruption, because the schema `stage` is dropped last. */
export async function remove(db: Database, { statements }: Removal): Promise<void> {
  for (let done = 0; done < statements.length; done += atOnce) {
    await db
      .transaction(async (tx) => {
        await tx.query(`SET LOCAL lock_timeout = '10s'`);
        for (const statement of statements.slice(done, done + atOnce)) await tx.query(statement);
      })
      .catch(explain);
  }
}

function explain(error: Error & { readonly code?: string }): never {
  if (error.code === '55P03') {
    throw new StageError('session_busy', 'an open transaction uses objects of the service', {
      hint: 'End it, and repeat the command: it continues where it stopped.',
      cause: error,
    });
  }
  if (error.code !== '42501') throw error;
  throw new StageError('forbidden', error.message, {
    hint: 'Connect as the owner of the schema stage, or have an administrator run `stage uninstall --print-sql`.',
    cause: error,
  });
}

function scriptOf(statements: readonly string[], database: string, account: string): string {
  const role = quoteIdentifier(account);
  return [
    `-- Takes stage out of the database ${JSON.stringify(database)}. Run it without --single-transaction: it may drop more than a server has locks for.`,
    `SET lock_timeout = '10s';`,
    ...statements.map((statement) => `${statement};`),
    '-- Roles are left. When no other database needs them, for the service account, and likewise for the role of clients:',
    `-- REVOKE ALL ON DATABASE ${quoteIdentifier(database)} FROM ${role}; DROP OWNED BY ${role}; DROP ROLE ${role};`,
    '',
  ].join('\n');
}
