/** The actions of a role in a session when it connects to the database directly. */
import type pg from 'pg';
import type { TestRole } from './roles.ts';
import { assert } from './suite.ts';

/** Opens a connection with a transaction, and calls `stage.begin_statement` for the session as the proxy would. */
export async function enter(role: TestRole, session: string): Promise<pg.Client> {
  const client = await role.connect();
  await client.query(`SET stage.session = '${session.slice(5)}'`);
  await client.query('BEGIN');
  await client.query(
    `SELECT stage.begin_statement('', '[]', '[]', '{}', current_setting('search_path'))`,
  );
  return client;
}

/** Tries each statement alone, and asserts that it fails with one of the SQLSTATEs. */
export async function refused(
  client: pg.Client,
  attempts: readonly string[],
  codes: readonly string[],
): Promise<void> {
  for (const attempt of attempts) {
    await client.query('SAVEPOINT a');
    const error = await client.query(attempt).then(
      () => null,
      (failure: pg.DatabaseError) => failure,
    );
    // Before the assertion, so that no other connection waits for a statement that was let through.
    await client.query('ROLLBACK TO a');
    assert.ok(
      codes.includes(error?.code ?? ''),
      `${attempt}: ${error?.code} ${error?.message ?? 'no error'}`,
    );
  }
}
