/** The two databases of cases: production behind a daemon whose service account is no superuser, and its twin. */

import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import type { Case } from './random-case.ts';
import { alterBoth } from './run-case.ts';
import { schema } from './schema.ts';

export interface Field {
  readonly database: TestDatabase;
  readonly twin: TestDatabase;
  readonly daemon: TestDaemon;
  /** Creates the objects of a case in both databases, and a session. */
  prepare(drawn: Case): Promise<{
    readonly stagedUrl: string;
    readonly directUrl: string;
    /** Returns a text with the names of the case. */
    named(text: string): string;
    /** Makes the alteration. Returns false if only one of the databases took it. */
    alter(): Promise<boolean>;
    approve(): Promise<boolean>;
    contents(database: TestDatabase): Promise<string[]>;
    /** Undoes alterations of roles. */
    undo(): Promise<void>;
  }>;
  stop(): Promise<void>;
}

const parts = ['login', 'group', 'owner', 'other', 'service'] as const;

export async function startField(): Promise<Field> {
  const database = await createTestDatabase({ template: 'empty' });
  const twin = await createTestDatabase({ template: 'empty' });
  const suffix = randomBytes(4).toString('hex');
  const roles = Object.fromEntries(
    parts.map((part) => [`$${part}`, `stage_test_${part}_${suffix}`]),
  );
  const withRoles = (text: string) =>
    text.replaceAll(/\$(?:login|group|owner|other|service)\b/g, (name) => roles[name] ?? name);
  await database.query(
    withRoles(`CREATE ROLE $group; CREATE ROLE $other; CREATE ROLE $login LOGIN PASSWORD 'x'; CREATE ROLE $owner LOGIN PASSWORD 'x';
      CREATE ROLE $service LOGIN BYPASSRLS PASSWORD 'x'; GRANT $group TO $login; GRANT CREATE ON DATABASE ${database.name} TO $service`),
  );
  const urlFor = (base: TestDatabase, role: string) => base.urlFor(withRoles(role), 'x');
  const daemon = await startTestDaemon({
    database,
    flags: { upstream: urlFor(database, '$service') },
  });
  return {
    ...{ database, twin, daemon },
    prepare: async ({ seed, login, alteration }) => {
      const named = (text: string) => withRoles(text.replaceAll(/\$s(?=\b|_moved)/g, `c${seed}`));
      for (const { query } of [database, twin]) await query(named(schema));
      const session = await daemon.newSession({ reads: 'staged' });
      const urls =
        login === 'superuser'
          ? [daemon.clientUrl(session), twin.url]
          : [daemon.clientUrl(session, withRoles(`$${login}`), 'x'), urlFor(twin, `$${login}`)];
      return {
        ...{ stagedUrl: String(urls[0]), directUrl: String(urls[1]), named },
        alter: () =>
          alterBoth(alteration.undo ? [database] : [database, twin], named(alteration.text)),
        approve: async () => {
          for (const action of ['propose', 'approve']) {
            const { status, text } = await daemon.call('POST', `/sessions/${session}/${action}`);
            if (status === 409) return false;
            if (status !== 200) throw new Error(`${action}: ${status} ${text}`);
          }
          return true;
        },
        contents: (of) => contentsOf(of, `c${seed}`),
        undo: async () => {
          if (alteration.undo) await database.query(named(alteration.undo));
        },
      };
    },
    stop: async () => {
      await daemon.stop();
      const { host, port, user, password } = database;
      await Promise.all([twin.drop(), database.drop()]);
      const client = new pg.Client({ host, port, user, password, database: 'postgres' });
      await client.connect();
      await client.query(withRoles('DROP ROLE $login, $group, $owner, $other, $service'));
      await client.end();
    },
  };
}

/** Returns every row of a schema's tables, without what sequences drew. */
async function contentsOf({ query }: TestDatabase, schema: string): Promise<string[]> {
  const found = await query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = '${schema}'::regnamespace ORDER BY 1`,
  );
  const rows: string[] = [];
  for (const { name } of found) {
    const lines = await query<{ row: string }>(
      `SELECT (to_jsonb(t) - 's' - 'seq')::text AS row FROM ONLY ${name} t ORDER BY 1`,
    );
    rows.push(...lines.map(({ row }) => `${name} ${row}`));
  }
  return rows;
}
