/**
 * A database behind a daemon in which every effect is checked: rows and definitions, sequences, notifications, advisory locks, large
 * objects, statistics and files of relations. Attackers are a role that may read, one that may write and create, the owner of tables, and a
 * superuser.
 */
import pg from 'pg';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { sendsAll } from '../helpers/forms.ts';
import type { TestRole } from '../helpers/roles.ts';
import { createRole } from '../helpers/roles.ts';
import type { TestDefiner } from '../helpers/suite.ts';
import { q, run, runScript, s } from '../helpers/wire-script.ts';
import { fingerprint } from './fingerprint.ts';

const attackers = ['reader', 'writer', 'owner', 'superuser'] as const;
export type Attacker = (typeof attackers)[number];

/** The forms of sending statements. `runScript` adds the last Sync, and ends a failed transaction. */
const forms: Readonly<Record<string, (statements: readonly string[]) => Buffer[]>> = {
  simple: (statements) => statements.map((text) => q(text)),
  extended: (statements) => statements.flatMap((text) => [run(text), s]),
  'a simple block': (statements) =>
    statements.flatMap((text) => [q('BEGIN'), q(text), q('COMMIT'), q('ROLLBACK')]),
  'an extended block': (statements) =>
    statements.flatMap((text) => [run('BEGIN'), s, run(text), s, q('COMMIT'), q('ROLLBACK')]),
};

const modes = ['production', 'staged'] as const;

/** Every combination of attacker, mode and form; by default only so many that each value meets each of the others'. */
const ways = attackers.flatMap((attacker, first) =>
  modes.flatMap((reads, second) =>
    Object.keys(forms).flatMap((form, third) => {
      const isChosen = (first + 2 * second + third) % 4 === 0;
      return isChosen || sendsAll ? [{ attacker, reads, form }] : [];
    }),
  ),
);

export interface Probed {
  readonly database: TestDatabase;
  readonly daemon: TestDaemon;
  /** Returns the URL of a new session's connections. */
  url(attacker: Attacker, reads: 'production' | 'staged'): Promise<string>;
  /**
   * Sends the statements as each attacker, in both read modes and every form, and passes the responses to `told`. With STAGE_TEST_FORMS=all
   * it runs all combinations.
   * @param told asserts; `changes` are the lines by which the database differs from before
   */
  everyWay(statements: readonly string[], reported: (outcome: Outcome) => void): Promise<void>;
}

export interface Outcome {
  readonly way: string;
  /** The SQLSTATEs of the errors, in order. */
  readonly codes: readonly string[];
  readonly answers: readonly string[];
  readonly changes: readonly string[];
}

/**
 * Creates the database before the tests of a suite, and removes it after them.
 * @param schema run by the owner of the tables
 * @param bySuperuser run by the superuser
 */
export function probe(test: TestDefiner, schema: string, bySuperuser = ''): Probed {
  const made = {} as { database: TestDatabase; daemon: TestDaemon; before: string[] };
  const roles = {} as Record<Exclude<Attacker, 'superuser'>, TestRole>;
  const heard: string[] = [];
  let listener: pg.Client;
  test.before(async () => {
    made.database = await createTestDatabase({ template: 'migrated' });
    const { database } = made;
    await database.query(bySuperuser);
    const all = `GRANT ALL ON SCHEMA public TO $role`;
    roles.owner = await createRole(database, all);
    await database.query(`SET ROLE ${roles.owner.name}; ${schema}; RESET ROLE`);
    const granted = (rights: string) => `GRANT ${rights} ON ALL TABLES IN SCHEMA public TO $role`;
    roles.reader = await createRole(database, granted('SELECT'));
    roles.writer = await createRole(
      database,
      `${all}; ${granted('SELECT, INSERT, UPDATE, DELETE')}; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO $role`,
    );
    made.daemon = await startTestDaemon({ database });
    listener = new pg.Client({ connectionString: database.url });
    await listener.connect();
    listener.on('notification', ({ payload = '' }) => heard.push(`heard ${payload}`));
    await listener.query('LISTEN ch');
    made.before = await state(database);
  });
  test.after(async () => {
    await listener.end();
    await made.daemon.stop();
    await made.database.query(`REASSIGN OWNED BY ${roles.owner.name} TO CURRENT_USER`);
    for (const role of Object.values(roles)) await role.drop();
    await made.database.drop();
  });

  const url: Probed['url'] = async (attacker, reads) => {
    const session = await made.daemon.newSession({ reads });
    if (attacker === 'superuser') return made.daemon.clientUrl(session);
    return made.daemon.clientUrl(session, roles[attacker].name, roles[attacker].name);
  };
  const changes = async () => {
    // All earlier notifications arrive before this response.
    await listener.query('SELECT 1');
    const now = await state(made.database);
    const lines = now.filter((line) => !made.before.includes(line));
    made.before = now;
    return [...lines, ...heard.splice(0)];
  };
  return {
    get database() {
      return made.database;
    },
    get daemon() {
      return made.daemon;
    },
    url,
    everyWay: async (statements, reported) => {
      for (const { attacker, reads, form } of ways) {
        const messages = [...(forms[form]?.(statements) ?? []), s, q('ROLLBACK'), q(held)];
        const answers = await runScript(await url(attacker, reads), messages);
        const codes = answers.flatMap((answer) => /^E .*\bC=(\w+)/.exec(answer)?.[1] ?? []);
        const locks = answers.flatMap((answer) => /holds lock \d+/.exec(answer) ?? []);
        const way = `${attacker}, ${reads}, ${form}`;
        reported({ way, codes, answers, changes: [...(await changes()), ...locks] });
      }
    },
  };
}

/** Locks that have outlived the transaction. */
const held = `SELECT format('holds lock %s', objid) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()`;

/** State that `fingerprint` does not include. */
const kept = `
  SELECT format('file of %s: %s', oid::regclass, relfilenode) AS line FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')
  UNION ALL SELECT format('clustered by %s', indexrelid::regclass) FROM pg_index WHERE indisclustered
  UNION ALL SELECT format('statistics of %s.%s by %s', starelid::regclass, staattnum, s.xmin) FROM pg_statistic s JOIN pg_class c ON c.oid = s.starelid
    WHERE c.relnamespace = 'public'::regnamespace`;

async function state(database: TestDatabase): Promise<string[]> {
  const rows = await database.query<{ line: string }>(kept);
  return [...(await fingerprint(database)), ...rows.map(({ line }) => line)];
}
