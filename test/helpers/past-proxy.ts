/** What a role does in a session that connects to the database itself. */
import type pg from 'pg';
import type { TestRole } from './roles.ts';
import { assert } from './suite.ts';

/** Connects, begins a transaction, and enters the session as the proxy would. */
export async function enter(role: TestRole, session: string): Promise<pg.Client> {
  const client = await role.connect();
  await client.query(`SET stage.session = '${session.slice(5)}'`);
  await client.query('BEGIN');
  await client.query(`SELECT stage.enter('', '[]', '[]', '{}', current_setting('search_path'))`);
  return client;
}

/** Each is tried alone, and fails with one of the SQLSTATEs. */
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
    // before it is judged: nobody else is to wait for what has been let through
    await client.query('ROLLBACK TO a');
    assert.ok(
      codes.includes(error?.code ?? ''),
      `${attempt}: ${error?.code} ${error?.message ?? 'no error'}`,
    );
  }
}
