/** `stage uninstall` as a separate process: afterwards nothing of the service is left, and production is as before. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import pg from 'pg';
import { fingerprint } from '../attacks/fingerprint.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import type { TestRole } from '../helpers/roles.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { Outcome, Shell } from './stage.ts';
import { createShell } from './stage.ts';

/** Catalogs that must have the same number of rows afterwards as before. */
const catalogs = [
  ...['attrdef', 'class', 'constraint', 'default_acl', 'event_trigger', 'index', 'namespace'],
  ...['policy', 'proc', 'publication', 'rewrite', 'sequence', 'trigger', 'type'],
  ...['largeobject_metadata', 'depend', 'inherits'],
];
/** Entries about roles in this database; other tests create some in others of the server. */
const ofRoles = { shdepend: 'dbid', db_role_setting: 'setdatabase' };
const counts = [
  ...catalogs.map((name) => `(SELECT count(*) FROM pg_${name}) AS ${name}`),
  ...Object.entries(ofRoles).map(
    ([name, column]) =>
      `(SELECT count(*) FROM pg_${name} r JOIN pg_database d ON d.oid = r.${column} WHERE d.datname = current_database()) AS ${name}`,
  ),
].join(', ');

const more = `
CREATE TABLE tree (id int PRIMARY KEY, v text); CREATE TABLE branch (PRIMARY KEY (id)) INHERITS (tree);
CREATE VIEW cheap AS SELECT * FROM products WHERE price < 10;
CREATE FUNCTION dearest() RETURNS text LANGUAGE sql STABLE AS 'SELECT max(name) FROM products';
INSERT INTO tree VALUES (1, 'a'); INSERT INTO branch VALUES (2, 'b');
CREATE SCHEMA stage_overlay_7; CREATE TABLE stage_overlay_7.mine (id int PRIMARY KEY)`;

suite('stage uninstall', (test) => {
  let shell: Shell;
  let database: TestDatabase;
  let service: TestRole;
  test.beforeEach(async () => {
    shell = await createShell();
    database = await createTestDatabase();
    await database.query(more);
    service = await createRole(
      database,
      `GRANT CREATE ON DATABASE ${database.name} TO $role; GRANT USAGE ON SCHEMA public TO $role;
       GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO $role`,
    );
  });
  test.afterEach(async () => {
    await shell.clear();
    await service.drop();
    await database.drop();
  });

  const url = () => database.urlFor(service.name, service.name);
  const uninstall = (...args: string[]): Promise<Outcome> =>
    shell.spawn(['uninstall', '--upstream', url(), ...args]);
  const state = async () => ({
    lines: await fingerprint(database),
    counts: await database.query(`SELECT ${counts}`),
  });
  const schemas = async () =>
    (
      await database.query<{ nspname: string }>(
        `SELECT nspname FROM pg_namespace WHERE nspname ~ '^stage' ORDER BY 1`,
      )
    ).map(({ nspname }) => nspname);

  /** Serves and stages, and leaves a session in the state of the last command. */
  async function stageWork(last: 'propose' | 'reject'): Promise<void> {
    const daemon = await startTestDaemon({ database, flags: { upstream: url() } });
    try {
      const session = await daemon.newSession({ reads: 'staged' });
      const client = new pg.Client({ connectionString: daemon.clientUrl(session) });
      await client.connect();
      for (const text of [
        'UPDATE products SET stock = 1',
        `UPDATE tree SET v = v || '!'`,
        'UPDATE cheap SET stock = 2',
        'SELECT dearest()',
        'DELETE FROM order_items WHERE order_id = 1',
      ])
        await client.query(text);
      const refused = await uninstall('--yes');
      assert.is(refused.code, 6);
      assert.match(refused.stderr, /1 session is active or proposed/);
      await client.end();
      await daemon.call('POST', `/sessions/${session}/propose`);
      if (last === 'reject') {
        await daemon.call('POST', `/sessions/${session}/reject`, { json: {} });
        const served = await uninstall('--yes');
        assert.is(served.code, 6);
        assert.match(served.stderr, /a daemon serves/);
      }
    } finally {
      await daemon.stop();
    }
  }

  test('leaves production and its catalogs as they were before the installation', async () => {
    const before = await state();
    await stageWork('reject');
    assert.ok((await schemas()).length > 5);
    const { code, stdout, stderr } = await uninstall('--yes');
    assert.is(code, 0, stderr);
    assert.match(stdout, /^stage\tdropped$/m);
    assert.equal(await schemas(), ['stage_overlay_7']);
    assert.equal(await state(), before);
    const again = await uninstall('--yes', '--json');
    assert.equal(JSON.parse(again.stdout), { database: database.name, removed: [] });
  });

  test('is refused while a session is proposed, but with --force', async () => {
    const before = await state();
    await stageWork('propose');
    const refused = await uninstall('--yes');
    assert.is(refused.code, 6);
    assert.match(refused.stderr, /--force/);
    assert.ok((await schemas()).includes('stage_data'));
    assert.is((await uninstall('--force')).code, 64);
    const { code, stdout } = await uninstall('--force', '--yes', '--json');
    assert.is(code, 0);
    const { removed } = JSON.parse(stdout) as { removed: string[] };
    assert.equal(removed.slice(-2), ['stage_data', 'stage']);
    assert.equal(await state(), before);
  });

  test('prints what it would do, and that does it', async () => {
    const before = await state();
    await stageWork('reject');
    const { code, stdout } = await uninstall('--print-sql');
    assert.is(code, 0);
    for (const schema of await schemas())
      assert.is(stdout.includes(`DROP SCHEMA ${schema} CASCADE;`), schema !== 'stage_overlay_7');
    assert.ok((await schemas()).includes('stage'));
    await promisify(execFile)('psql', ['--set=ON_ERROR_STOP=1', '--command', stdout, url()]).catch(
      async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
        await database.query(stdout);
      },
    );
    assert.equal(await schemas(), ['stage_overlay_7']);
    assert.equal(await state(), before);
  });

  test('does not do what another one must, and says so', async () => {
    await stageWork('reject');
    const other = await createRole(database, 'GRANT USAGE ON SCHEMA public TO $role');
    try {
      const denied = await shell.spawn([
        'uninstall',
        '--yes',
        '--upstream',
        database.urlFor(other.name, other.name),
      ]);
      assert.is(denied.code, 4);
      assert.ok((await schemas()).includes('stage_data'));
    } finally {
      await other.drop();
    }
  });
});
