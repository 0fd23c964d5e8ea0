/**
 * Effects of users' functions other than writes to tables: called by name, inside a function that a read calls, inside one that a staged
 * write calls. A call that is allowed has the rights of the connecting role, as SECURITY.md states.
 */
import pg from 'pg';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase, serverMajor } from '../helpers/database.ts';
import type { TestRole } from '../helpers/roles.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { fingerprint } from './fingerprint.ts';

interface Effect {
  readonly call: string;
  /** The SQLSTATE of a call by name; null if only its use in a staged write is refused. */
  readonly named: string | null;
  /** The SQLSTATE of a superuser's read when a function makes the call, or null. */
  readonly inRead: string | null;
  /** The same for a staged write, of a function that is declared stable. */
  readonly inWrite: string | null;
  /** The same for reads of a role that may only read. */
  readonly asReader: string | null;
  /** Whether staged writes may call a volatile function with the call: it is followed, and staged. */
  readonly isFollowed?: true;
}

const passing = { named: '0A000', inRead: null, inWrite: null, asReader: null };

const effectsOn = (major: number): Readonly<Record<string, Effect>> => ({
  nextval: {
    ...{ call: `nextval('numbers')`, named: null, isFollowed: true },
    ...{ inRead: '25006', inWrite: null, asReader: '42501' },
  },
  setval: {
    ...{ call: `setval('numbers', 7)`, named: null },
    ...{ inRead: '25006', inWrite: null, asReader: '42501' },
  },
  // READ ONLY refuses these since 16. The tripwire always did, and so does the check at the end of a read.
  'large object': {
    ...{ call: 'lo_create(0)', named: '0A000', inWrite: '0A000' },
    ...(major < 16
      ? { inRead: '0A000', asReader: '0A000' }
      : { inRead: '25006', asReader: '25006' }),
  },
  notification: { ...passing, call: `pg_notify('attack', 'x')` },
  'advisory lock': { ...passing, call: 'pg_advisory_xact_lock(7)' },
  signal: { ...passing, call: 'pg_cancel_backend(0)', asReader: null },
  'server file': { ...passing, call: `pg_read_file('PG_VERSION')`, asReader: '42501' },
  'replication message': {
    ...passing,
    call: `pg_logical_emit_message(false, 'x', 'x')`,
  },
  'restore point': { ...passing, call: `pg_create_restore_point('x')`, asReader: '42501' },
});

const major = await serverMajor();
const effects = effectsOn(major);
const schema = `
CREATE TABLE item (id int PRIMARY KEY, name text); INSERT INTO item VALUES (1, 'one');
CREATE SEQUENCE numbers;
CREATE FUNCTION program() RETURNS text LANGUAGE plpgsql AS $$BEGIN COPY (SELECT 1) TO PROGRAM 'cat >/dev/null'; RETURN ''; END$$;
${Object.values(effects)
  .map(({ call }, index) => {
    const body = `LANGUAGE plpgsql AS $$BEGIN RETURN (SELECT ${call})::text; END$$`;
    return `CREATE FUNCTION volatile_${index}() RETURNS text ${body};
      CREATE FUNCTION stable_${index}() RETURNS text STABLE ${body};`;
  })
  .join('\n')}`;

suite('effects of functions', (test) => {
  let database: TestDatabase;
  let daemon: TestDaemon;
  let reader: TestRole;
  let before: string[];
  const clients: pg.Client[] = [];
  test.before(async () => {
    database = await createTestDatabase({ template: 'empty' });
    await database.query(schema);
    reader = await createRole(database, 'GRANT SELECT ON ALL TABLES IN SCHEMA public TO $role');
    daemon = await startTestDaemon({ database });
    before = await fingerprint(database);
  });
  test.after(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await daemon.stop();
    await reader.drop();
    await database.drop();
  });

  const connect = async (...login: string[]) => {
    const url = daemon.clientUrl(await daemon.newSession(), ...login);
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    clients.push(client);
    return client;
  };

  /** Returns the SQLSTATE of a statement, null if it succeeds. A refusal names the setting that allows it. */
  const outcome = async (client: pg.Client, text: string): Promise<string | null> => {
    const failure = await client.query(text).then(
      () => null,
      (error: pg.DatabaseError) => error,
    );
    if (/cannot be run in a staged session/.test(failure?.message ?? ''))
      assert.match(failure?.hint ?? '', /allow_functions/);
    return failure?.code ?? null;
  };

  for (const [index, [name, effect]] of Object.entries(effects).entries()) {
    test(name, async () => {
      const [superuser, ordinary] = [await connect(), await connect(reader.name, reader.name)];
      const write = (call: string) => `UPDATE item SET name = ${call}`;
      if (effect.named) {
        assert.is(await outcome(superuser, `SELECT ${effect.call}`), effect.named, 'by name');
        const named = await outcome(superuser, write(`(${effect.call})::text`));
        assert.is(named, effect.named, 'by name in a staged write');
      }
      assert.is(await outcome(superuser, `SELECT volatile_${index}()`), effect.inRead, 'read');
      assert.is(
        await outcome(ordinary, `SELECT volatile_${index}()`),
        effect.asReader,
        'read of a role that may only read',
      );
      assert.is(
        await outcome(superuser, write(`volatile_${index}()`)),
        effect.isFollowed ? null : '0A000',
        'volatile, in a staged write',
      );
      assert.is(
        await outcome(superuser, write(`stable_${index}()`)),
        effect.inWrite,
        'stable, in a staged write',
      );
      assert.equal(await fingerprint(database), before, 'production');
    });
  }

  test('large object: the statement is refused, not only its COMMIT', async () => {
    const client = await connect();
    const index = Object.keys(effects).indexOf('large object');
    await client.query('BEGIN');
    const { message } = await rejects(client.query(`UPDATE item SET name = stable_${index}()`));
    assert.match(message, /makes a function write to "pg_catalog\.pg_largeobject/);
    await client.query('ROLLBACK');
    assert.equal(await fingerprint(database), before);
  });

  test('programs of the server: a superuser only', async () => {
    assert.is(await outcome(await connect(), 'SELECT program()'), null);
    const ordinary = await connect(reader.name, reader.name);
    assert.is(await outcome(ordinary, 'SELECT program()'), '42501');
    assert.is(await outcome(ordinary, `COPY item TO PROGRAM 'cat'`), '0A000');
  });
});
