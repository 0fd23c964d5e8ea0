/** Database roles for tests. They belong to the whole server, so their names are random, and they are dropped when the test ends. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { TestDatabase } from './database.ts';

export interface TestRole {
  readonly name: string;
  /** Connects to the database directly, past any proxy. */
  connect(): Promise<pg.Client>;
  /** Revokes its rights and drops the role. */
  drop(): Promise<void>;
}

/**
 * Creates a role that can log in.
 * @param rights SQL that is run for it, with `$role` for its name
 */
export async function createRole(database: TestDatabase, rights = ''): Promise<TestRole> {
  const name = `stage_test_${randomBytes(6).toString('hex')}`;
  await database.query(`CREATE ROLE ${name} LOGIN PASSWORD '${name}'`);
  await database.query(rights.replaceAll('$role', name));
  const clients: pg.Client[] = [];
  return {
    name,
    connect: async () => {
      const client = new pg.Client({ connectionString: database.urlFor(name, name) });
      client.on('error', () => undefined);
      await client.connect();
      clients.push(client);
      return client;
    },
    drop: async () => {
      await Promise.all(clients.map((client) => client.end()));
      await database.query(`DROP OWNED BY ${name}`);
      await database.query(`DROP ROLE ${name}`);
    },
  };
}
