/** session_replication_role disables triggers, and staging depends on triggers: acknowledged writes are staged all the same. */
import pg from 'pg';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import type { TestRole } from '../helpers/roles.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import type { WireClient } from '../helpers/wire-script.ts';
import { connectWire, data, done, inWords, q } from '../helpers/wire-script.ts';

const schema = `
CREATE TABLE parent (id int PRIMARY KEY, v text);
CREATE TABLE child (id int PRIMARY KEY, parent int REFERENCES parent ON DELETE CASCADE, n int CONSTRAINT small CHECK (n < 100));
CREATE TABLE late (id int PRIMARY KEY, parent int REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE emptied (id int PRIMARY KEY);
CREATE TABLE log (line text);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO log VALUES (TG_OP); RETURN NULL; END';
CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON parent FOR EACH ROW EXECUTE FUNCTION note();
CREATE FUNCTION silence() RETURNS text LANGUAGE sql AS $$ SELECT set_config('session_replication_role', 'replica', false) $$;
CREATE FUNCTION silently(n int) RETURNS text STABLE LANGUAGE plpgsql AS $$ BEGIN RETURN set_config('session_replication_role', 'replica', false); END $$;
INSERT INTO parent SELECT g, 'v' FROM generate_series(1, 9) g; INSERT INTO child SELECT g, g, g FROM generate_series(1, 9) g;
INSERT INTO emptied VALUES (1), (2); TRUNCATE log;`;

const counted = [
  `INSERT INTO parent VALUES (21, 'a'), (22, 'b'), (23, 'c')`,
  `UPDATE parent SET v = 'w' WHERE id IN (1, 2)`,
  `DELETE FROM child WHERE id = 3`,
  `INSERT INTO parent VALUES (1, 'x'), (24, 'y') ON CONFLICT (id) DO UPDATE SET v = excluded.v`,
  `MERGE INTO parent USING (VALUES (4), (25)) s(id) ON parent.id = s.id WHEN MATCHED THEN UPDATE SET v = 'm' WHEN NOT MATCHED THEN INSERT VALUES (s.id, 'm')`,
];

suite('session_replication_role', (test) => {
  let database: TestDatabase;
  let daemon: TestDaemon;
  let role: TestRole;
  const clients: pg.Client[] = [];
  const wires: WireClient[] = [];
  test.before(async () => {
    database = await createTestDatabase({ template: 'empty' });
    await database.query(schema);
    daemon = await startTestDaemon({ database });
    role = await createRole(database, 'ALTER ROLE $role SUPERUSER');
  });
  test.after(async () => {
    for (const wire of wires) wire.close();
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
    await daemon.stop();
    await role.drop();
    await database.drop();
  });
  test.afterEach(async () => {
    await database.query(
      `ALTER ROLE ${role.name} RESET ALL; ALTER DATABASE ${database.name} RESET session_replication_role`,
    );
  });

  async function connect(session: string, options = ''): Promise<pg.Client> {
    const url = daemon.clientUrl(session, role.name, role.name) + encodeURIComponent(options);
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    clients.push(client);
    return client;
  }

  const logged = async (session: string) => {
    const [row] = await database.query<{ n: number }>(
      `SELECT coalesce(sum(affected_rows), 0)::int AS n FROM stage.mutation WHERE session = $1`,
      [session.slice(5)],
    );
    return row?.n ?? 0;
  };

  /** Runs writes of every kind. What the client is told must equal what is staged. */
  async function writeAll(session: string, client: pg.Client): Promise<void> {
    let reported = 0;
    for (const text of counted) {
      reported += (await client.query(text)).rowCount ?? 0;
      assert.is(await logged(session), reported, text);
    }
    const wire = await connectWire(daemon.clientUrl(session, role.name, role.name));
    wires.push(wire);
    wire.send(q('SELECT silence()'));
    await wire.readTo('Z'.charCodeAt(0));
    wire.send(q('COPY parent FROM STDIN'));
    await wire.readTo('G'.charCodeAt(0));
    wire.send(data('31\tone\n32\ttwo\n'), done);
    const answers = (await wire.readTo('Z'.charCodeAt(0))).map(inWords).join('\n');
    assert.match(answers, /COPY 2/);
    assert.is(await logged(session), reported + 2);
    await client.query('TRUNCATE emptied');
    assert.equal((await client.query('SELECT * FROM emptied')).rows, []);
    assert.is(await logged(session), reported + 4);
    assert.is((await client.query('SELECT v FROM parent WHERE id = 31')).rows[0]?.v, 'one');
    await checks(client);
  }

  async function checks(client: pg.Client): Promise<void> {
    const refused = async (text: string) => (await rejects(client.query(text))).code;
    assert.is(await refused('INSERT INTO child VALUES (50, 1, 100)'), '23514');
    assert.is(await refused('INSERT INTO child VALUES (50, 77, 1)'), '23503');
    assert.is(await refused(`INSERT INTO parent VALUES (5, 'again')`), '23505');
    await client.query('DELETE FROM parent WHERE id = 6');
    assert.equal((await client.query('SELECT * FROM child WHERE parent = 6')).rows, []);
    await client.query('BEGIN');
    await client.query('INSERT INTO late VALUES (1, 77)');
    await client.query('SELECT silence()');
    assert.is(await refused('COMMIT'), '23503');
  }

  test('what is acknowledged is staged where a function in a read has set it', async () => {
    const session = await daemon.newSession({ reads: 'staged' });
    const client = await connect(session);
    await client.query('SELECT silence()');
    await writeAll(session, client);
  });

  const logins: Readonly<Record<string, () => Promise<unknown>>> = {
    'ALTER ROLE': () =>
      database.query(`ALTER ROLE ${role.name} SET session_replication_role = replica`),
    'ALTER DATABASE': () =>
      database.query(`ALTER DATABASE ${database.name} SET session_replication_role = replica`),
  };
  for (const [way, set] of Object.entries(logins))
    test(`a login for which ${way} sets it is refused`, async () => {
      await set();
      const error = await rejects(connect(await daemon.newSession()));
      assert.match(error.message, /session_replication_role/);
    });

  test('a start-up packet that sets it is refused', async () => {
    const session = await daemon.newSession();
    const error = await rejects(connect(session, ' -c session_replication_role=replica'));
    assert.match(error.message, /session_replication_role/);
  });

  test('a write that sets it while it runs fails', async () => {
    const session = await daemon.newSession({ reads: 'staged' });
    const client = await connect(session);
    const write = client.query(
      `INSERT INTO parent SELECT g, silently(g) FROM generate_series(61, 63) g`,
    );
    const error = await rejects<Error & { code?: string }>(write);
    assert.is(error.code, '0A000');
    assert.match(error.message, /session_replication_role/, error.message);
    assert.is(await logged(session), 0);
  });

  test('triggers of tables of ours fire always', async () => {
    const [row] = await database.query<{ triggers: number; always: number }>(
      `SELECT count(*)::int AS triggers, count(*) FILTER (WHERE tgenabled = 'A')::int AS always
       FROM pg_trigger WHERE tgrelid IN (SELECT oid FROM pg_class WHERE relname LIKE 'shadow%')`,
    );
    assert.ok((row?.triggers ?? 0) > 0);
    assert.is(row?.always, row?.triggers);
  });

  test('a role that cannot take it back is told so', async () => {
    const plain = await createRole(
      database,
      'GRANT SELECT, INSERT ON parent TO $role; GRANT USAGE ON SCHEMA public TO $role',
    );
    try {
      await database.query('ALTER FUNCTION silence() SECURITY DEFINER');
      const session = await daemon.newSession();
      const url = daemon.clientUrl(session, plain.name, plain.name);
      const client = new pg.Client({ connectionString: url });
      client.on('error', () => undefined);
      clients.push(client);
      await client.connect();
      await client.query('SELECT silence()');
      const error = await rejects<Error & { code?: string }>(
        client.query(`INSERT INTO parent VALUES (71, 'z')`),
      );
      assert.is(error.code, '55000');
      assert.match(error.message, /session_replication_role/);
      assert.is(await logged(session), 0);
    } finally {
      await clients.pop()?.end();
      await database.query('ALTER FUNCTION silence() SECURITY INVOKER');
      await plain.drop();
    }
  });

  test('an approval fires the triggers of production', async () => {
    const session = await daemon.newSession();
    await (await connect(session)).query('DELETE FROM parent WHERE id = 9');
    await database.query(`ALTER DATABASE ${database.name} SET session_replication_role = replica`);
    const other = await startTestDaemon({ database });
    try {
      await other.call('POST', `/sessions/${session}/propose`);
      const { status, body } = await other.call('POST', `/sessions/${session}/approve`);
      assert.is(status, 200, JSON.stringify(body));
      assert.equal(await database.query('SELECT * FROM child WHERE parent = 9'), []);
      assert.equal(await database.query('SELECT * FROM log'), [{ line: 'DELETE' }]);
    } finally {
      await other.stop();
    }
  });
});
