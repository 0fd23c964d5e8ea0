/** The service account's connections to the upstream database: a pool, transactions, cursors. */
import type { PoolCounts } from '../metrics-pools.ts';
import type { Backend } from './backend.ts';
import type { Connection, PoolOptions } from './connections.ts';
import { openConnections } from './connections.ts';
import { demandCommitted } from './lost-commit.ts';
import type { Queryable } from './queryable.ts';
import { explainTrouble, isTrouble } from './upstream-error.ts';

export type { Queryable, Row } from './queryable.ts';

export type Isolation = 'read committed' | 'repeatable read' | 'repeatable read read only';

/** Tells, where COMMIT got no answer, whether the changes are there that gave a result. */
export type IsDone<T> = (db: Queryable, result: T) => Promise<boolean>;

export interface Database extends Queryable {
  /** Runs work in one transaction: commits when it resolves, rolls back when it throws. */
  transaction<T>(
    work: (tx: Queryable) => Promise<T>,
    isolation?: Isolation,
    isDone?: IsDone<T>,
  ): Promise<T>;
  /** Closes every connection once it is idle. */
  close(): Promise<void>;
}

/** What its owner can do with it, too. */
export interface Pool extends Database {
  /** Changes how many connections there may be. */
  resize(maxConnections: number): void;
  counts(): PoolCounts;
  /** Opens connections until there are as many as are kept open. */
  open(): Promise<void>;
}

/**
 * Opens the pool. Nothing connects before the first query.
 * Queries raise StageError `upstream_unavailable` when the server cannot be reached or cannot do anything now,
 * `configuration_invalid` when a connection does not keep its settings, else pg's DatabaseError.
 */
export function createDatabase(options: PoolOptions): Pool {
  const { use, counts, resize, open, close } = openConnections(options);
  const snapshots = new Set<{ readonly start: number }>();
  const query: Database['query'] = (text, values) =>
    reaching(() => use((connection) => connection.query(text, values)));
  return {
    query,
    close,
    transaction: (work, isolation = 'read committed', isDone = undefined) =>
      reaching(async () => {
        const outcome = await use((connection) => {
          const snapshot = { start: performance.now() };
          if (isolation !== 'read committed') snapshots.add(snapshot);
          const done = () => snapshots.delete(snapshot);
          return inTransaction(connection, isolation, work).finally(done);
        });
        const { result, lost } = outcome;
        if (lost === null) return result;
        const look = isDone && ((db: Queryable) => isDone(db, result));
        await demandCommitted({ query, use }, lost.backend, lost.error, look);
        return result;
      }),
    resize,
    counts: () => {
      const ages = [...snapshots].map(({ start }) => performance.now() - start);
      return { ...counts(), oldestSnapshotMs: Math.max(0, ...ages) };
    },
    open: () => reaching(open),
  };
}

interface Outcome<T> {
  readonly result: T;
  /** Whose COMMIT got no answer, and what came in its place. */
  readonly lost: { readonly backend: Backend | null; readonly error: unknown } | null;
}

async function inTransaction<T>(
  connection: Connection,
  isolation: Isolation,
  work: (tx: Queryable) => Promise<T>,
): Promise<Outcome<T>> {
  try {
    await connection.query(`BEGIN ISOLATION LEVEL ${isolation}`);
    const result = await work({ query: connection.query });
    const error = await commit(connection);
    const { backend } = connection;
    // what only reads has its result whatever becomes of it
    const isLost = error !== null && isolation !== 'repeatable read read only';
    return { result, lost: isLost ? { backend, error } : null };
  } catch (error) {
    await connection.query('ROLLBACK').catch(connection.discard);
    throw error;
  }
}

/** Returns what came in place of an answer that counts, null when all is well. @throws what PostgreSQL has against it */
async function commit(connection: Connection): Promise<unknown> {
  try {
    const { isLocal } = await connection.commit();
    return isLocal ? new Error('the wait for a synchronous standby was cancelled') : null;
  } catch (error) {
    if (!isTrouble(error)) throw error;
    return error;
  }
}

async function reaching<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explainTrouble(error);
  }
}
