/** The service account's access to the upstream database: a pool with transactions. */
import type { PoolCounts } from '../metrics-pools.ts';
import type { Backend } from './backend.ts';
import type { Connection, PoolOptions } from './connections.ts';
import { openConnections } from './connections.ts';
import { demandCommitted } from './lost-commit.ts';
import type { Queryable } from './queryable.ts';
import { explainTrouble, isTrouble } from './upstream-error.ts';

export type { Queryable, Row } from './queryable.ts';

export type Isolation = 'read committed' | 'repeatable read' | 'repeatable read read only';

/** Checks whether the changes of a transaction are there, after a COMMIT without a response. @param result the transaction's result */
export type IsDone<T> = (db: Queryable, result: T) => Promise<boolean>;

export interface Database extends Queryable {
  /** Runs work in one transaction. Commits when it resolves, rolls back when it throws. */
  transaction<T>(
    work: (tx: Queryable) => Promise<T>,
    isolation?: Isolation,
    isDone?: IsDone<T>,
  ): Promise<T>;
  /** Closes every connection as soon as it is idle. */
  close(): Promise<void>;
}

/** A database with the operations for the owner of its pool. */
export interface Pool extends Database {
  /** Changes the maximum number of connections. */
  resize(maxConnections: number): void;
  counts(): PoolCounts;
  /** Opens connections until `keepOpen` of them are open. */
  open(): Promise<void>;
}

/**
 * Creates the pool. It connects on the first query.
 * Queries throw StageError `upstream_unavailable` if the server cannot be reached or cannot work now,
 * `configuration_invalid` if a connection loses its settings, otherwise pg's DatabaseError.
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
        const check = isDone && ((db: Queryable) => isDone(db, result));
        await demandCommitted({ query, use }, lost.backend, lost.error, check);
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
  /** The backend whose COMMIT got no conclusive response, and the error that came instead. */
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
    // the result of a read-only transaction is valid even if its COMMIT failed
    const isLost = error !== null && isolation !== 'repeatable read read only';
    return { result, lost: isLost ? { backend, error } : null };
  } catch (error) {
    await connection.query('ROLLBACK').catch(connection.discard);
    throw error;
  }
}

/** Commits. @returns the error that left the outcome open, or null on success. @throws PostgreSQL's error if it refused the COMMIT */
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
