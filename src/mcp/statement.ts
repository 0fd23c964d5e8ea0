/** Runs one statement in a session: on a separate connection through the proxy, with a bounded result, leaving nothing behind. */
import pg from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';
import type { BoundedStatement, StatementResult } from './bounded-query.ts';
import { readBounded } from './bounded-query.ts';

export interface Statement extends BoundedStatement {
  readonly sessionId: string;
  readonly signal: AbortSignal;
}

/** The database could not be reached or refused the login. Its message is not for the agent. */
export class ConnectionFailed extends Error {
  readonly sqlstate: string | undefined;

  constructor(cause: unknown) {
    super('the connection failed', { cause });
    const { code } = cause as { readonly code?: unknown };
    this.sqlstate = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
  }
}

const connectMs = 10_000;
const statementMs = 30_000;

/** Returns the options of every connection. Reads see the session's staged rows. */
const optionsFor = (sessionId: string) =>
  `-c service_session=${sessionId} -c service_reads=staged -c statement_timeout=${statementMs}`;

/**
 * Runs a statement. A write is one transaction: it is staged completely, or not at all.
 * @param url the agent's login at the proxy
 * @throws ConnectionFailed before the statement, else PostgreSQL's error
 */
export async function runStatement(url: string, statement: Statement): Promise<StatementResult> {
  const { sessionId, signal } = statement;
  const client = new pg.Client({
    ...readUrl(url),
    application_name: 'stage mcp',
    connectionTimeoutMillis: connectMs,
    options: optionsFor(sessionId),
  });
  client.on('error', () => undefined);
  const giveUp = () => void client.end().catch(() => undefined);
  try {
    signal.throwIfAborted();
    signal.addEventListener('abort', giveUp);
    await connect(client, statement);
    return await readBounded(client, statement);
  } finally {
    signal.removeEventListener('abort', giveUp);
    // an open transaction is rolled back; remaining rows are not awaited
    destroy(client);
  }
}

async function connect(client: pg.Client, { readOnly }: Statement): Promise<void> {
  try {
    await client.connect();
    // guard: the tool that reads is read-only
    if (readOnly) await client.query('BEGIN READ ONLY');
  } catch (error) {
    throw new ConnectionFailed(error);
  }
}

/** Closes the connection without waiting for a response. */
function destroy(client: pg.Client): void {
  const ended = client.end().catch(() => undefined);
  const { stream } = (client as unknown as { connection: { stream: { destroy(): void } } })
    .connection;
  const timer = setTimeout(() => stream.destroy(), 1000);
  void ended.then(() => clearTimeout(timer));
}

/** Parses the URL with libpq's meaning of sslmode; pg treats `require` like `verify-full`. */
function readUrl(url: string): pg.ClientConfig {
  const parsed = parse(url, { useLibpqCompat: true });
  const either = ['allow', 'prefer'].includes(String(parsed['sslmode']));
  return { ...toClientConfig(parsed), ...(either ? { ssl: false } : {}) };
}
