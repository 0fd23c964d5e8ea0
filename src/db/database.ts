/** The service account's connections to the upstream database: a pool, transactions, cursors. */
import pg from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';
import { StageError } from '../errors.ts';

/** Every value arrives as PostgreSQL's own text; nothing is parsed, so nothing is rounded. */
export type Row = Readonly<Record<string, string | null>>;

export interface Queryable {
  /** Runs one statement with bound text parameters (null for SQL NULL) and gives its rows. */
  query(text: string, values?: readonly (string | number | null)[]): Promise<Row[]>;
}

export type Isolation = 'read committed' | 'repeatable read read only';

export interface Database extends Queryable {
  /** Runs work in one transaction: commits when it resolves, rolls back when it throws. */
  transaction<T>(work: (tx: Queryable) => Promise<T>, isolation?: Isolation): Promise<T>;
  /** Closes every connection once it is idle. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** Connection URL of the service account; sslmode is honoured. */
  readonly url: string;
  readonly maxConnections?: number;
  /** Receives errors of idle connections, which the pool replaces by itself. */
  readonly onError?: (error: Error) => void;
}

const textOnly = { getTypeParser: () => (value: string) => value };

/** Settings under which our own SQL always runs, whatever the role's or the database's defaults say. */
const connectionOptions = [
  'default_transaction_read_only=off',
  'standard_conforming_strings=on',
  'search_path=pg_catalog',
  'DateStyle=ISO',
  'IntervalStyle=postgres',
  'TimeZone=UTC',
  'extra_float_digits=1',
  'bytea_output=hex',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

/**
 * Opens the pool. Nothing connects before the first query.
 * Queries raise StageError `upstream_unavailable` when the server cannot be reached, else pg's DatabaseError.
 */
export function createDatabase(options: DatabaseOptions): Database {
  const pool = new pg.Pool({
    ...readUrl(options.url),
    max: options.maxConnections ?? 10,
    application_name: 'stage',
    connectionTimeoutMillis: 10_000,
    options: connectionOptions,
    types: textOnly as unknown as pg.CustomTypesConfig,
  });
  pool.on('error', (error) => options.onError?.(error));
  return {
    query: (text, values) => reaching(() => run(pool, text, values)),
    transaction: (work, isolation = 'read committed') =>
      reaching(async () => {
        const client = await pool.connect();
        return inTransaction(client, isolation, work);
      }),
    close: () => pool.end(),
  };
}

/** Reads the URL with libpq's meaning of sslmode; pg by itself takes `require` for `verify-full`. */
export function readUrl(url: string): pg.ClientConfig {
  const parsed = parse(url, { useLibpqCompat: true });
  // pg cannot fall back from one to the other, so where either will do it stays without TLS
  const either = ['allow', 'prefer'].includes(String(parsed['sslmode']));
  return { ...toClientConfig(parsed), ...(either ? { ssl: false } : {}) };
}

async function run(
  target: pg.Pool | pg.PoolClient,
  text: string,
  values?: readonly (string | number | null)[],
): Promise<Row[]> {
  const result = await target.query<Record<string, string | null>>(text, values && [...values]);
  return result.rows;
}

async function inTransaction<T>(
  client: pg.PoolClient,
  isolation: Isolation,
  work: (tx: Queryable) => Promise<T>,
): Promise<T> {
  let broken: Error | undefined;
  // a connection that ends between two queries says so here; without a listener the process would end with it
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  try {
    await client.query(`BEGIN ISOLATION LEVEL ${isolation}`);
    const result = await work({ query: (text, values) => run(client, text, values) });
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

/** SQLSTATE classes and codes that mean the server is away, not that the statement is wrong. */
const awayStates = /^(08|57P0[1-3]|53300)/;

async function reaching<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isAway(error)) throw error;
    throw new StageError(
      'upstream_unavailable',
      `the upstream database cannot be reached: ${(error as Error).message}`,
      {
        hint: 'Check that PostgreSQL is running and that the upstream URL is right; the service keeps trying.',
        cause: error,
      },
    );
  }
}

function isAway(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof StageError) return false;
  if (error instanceof pg.DatabaseError) return awayStates.test(error.code ?? '');
  const code = (error as NodeJS.ErrnoException).code;
  return code !== undefined
    ? /^E[A-Z_]+$/.test(code)
    : /timeout|terminated|Connection/i.test(error.message);
}
