/** Runs the same statements as the same role, staged and directly, to test what a role may see and write. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Proxied } from './proxied.ts';
import type { TestDefiner } from './suite.ts';
import { assert } from './suite.ts';

/** Defines one test for each story: its statements have the same results in a session whose read mode is `staged`, and directly. */
export function runStories(
  test: TestDefiner,
  proxied: () => Proxied,
  stories: Readonly<Record<string, readonly string[]>>,
): void {
  for (const [name, statements] of Object.entries(stories)) {
    test(name, async () => {
      const session = await proxied().daemon.newSession({ reads: 'staged' });
      await assertSameAs(proxied(), null, session, statements);
    });
  }
}

/** A role for one test file. Roles belong to the whole server. */
export interface TestRole {
  readonly name: string;
  readonly password: string;
}

export const testRole = (part: string): TestRole => ({
  name: `stage_test_${part}_${randomBytes(4).toString('hex')}`,
  password: 'secret',
});

export const createRole = ({ name, password }: TestRole, options = '') =>
  `CREATE ROLE ${name} LOGIN PASSWORD '${password}' ${options};`;

/** Drops roles of this server, and what they own and may do in both databases. */
export async function dropRoles(
  { database, twin }: Proxied,
  roles: readonly TestRole[],
): Promise<void> {
  const names = roles.map(({ name }) => name).join(', ');
  for (const { query } of [twin, database]) await query(`DROP OWNED BY ${names} CASCADE`);
  await database.query(`DROP ROLE ${names}`);
}

/** Returns what a client receives for a statement. */
export async function outcomeOf(client: pg.Client, statement: string): Promise<object> {
  try {
    const { command, rowCount, rows } = await client.query({ text: statement, rowMode: 'array' });
    return { tag: `${command} ${rowCount}`, rows: rows.map((row) => JSON.stringify(row)).sort() };
  } catch (error) {
    const { code, message, detail, hint, schema, table, column, constraint } =
      error as pg.DatabaseError;
    return { error: { code, message, detail, hint, schema, table, column, constraint } };
  }
}

/**
 * Runs statements in a session, and directly on the twin, each time in one transaction that is rolled back, and asserts that all results
 * are equal.
 */
export async function assertSameAs(
  proxied: Proxied,
  role: TestRole | null,
  session: string,
  statements: readonly string[],
): Promise<void> {
  const { daemon, twin } = proxied;
  const [user, password] = role === null ? [] : [role.name, role.password];
  const urls = [
    daemon.clientUrl(session, user, password),
    user && password ? twin.urlFor(user, password) : twin.url,
  ];
  const [staged, direct] = await Promise.all(
    urls.map(async (connectionString) => {
      const client = new pg.Client({ connectionString });
      await client.connect();
      const outcomes: unknown[] = [];
      await client.query('BEGIN');
      for (const statement of statements) {
        await client.query('SAVEPOINT s');
        const outcome = await outcomeOf(client, statement);
        if ('error' in outcome) await client.query('ROLLBACK TO s');
        await client.query('RELEASE s');
        outcomes.push({ statement, ...outcome });
      }
      await client.end();
      return outcomes;
    }),
  );
  assert.equal(staged, direct);
}
