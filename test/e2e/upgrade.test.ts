/**
 * Another release of the program on the database of an earlier one, and back: sessions continue, and each release creates its own objects.
 */
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import type { startDaemon } from '../../src/daemon/start.ts';
import { startDaemon as startThis } from '../../src/daemon/start.ts';
import { testConfig } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { callHttp } from '../helpers/http.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const marker = '-- of another release';

/** Creates a copy of the program with a different row trigger and a different function. */
async function anotherRelease(
  version?: string,
): Promise<{ start: typeof startDaemon; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'stage-release-'));
  for (const part of ['dist', 'templates', 'package.json'])
    await cp(part, join(folder, part), { recursive: true });
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  const template = join(folder, 'templates/sql/table/rows/update_row.sql');
  const text = await readFile(template, 'utf8');
  await writeFile(template, text.replace('BEGIN\n', `BEGIN\n${marker}\n`));
  const function_ = join(folder, 'templates/sql/functions/display_value.sql');
  if (version !== undefined) {
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', version }));
    await writeFile(function_, `${await readFile(function_, 'utf8')}${marker}\n`);
  }
  const module = await import(pathToFileURL(join(folder, 'dist/daemon/start.js')).href);
  return { start: module.startDaemon, folder };
}

suite('upgrade', (test) => {
  let database: TestDatabase;
  let other: Awaited<ReturnType<typeof anotherRelease>>;
  test.before(async () => {
    database = await createTestDatabase();
    other = await anotherRelease();
  });
  test.after(async () => {
    await rm(other.folder, { recursive: true });
    await database.drop();
  });

  async function serving<T>(
    start: typeof startDaemon,
    work: (daemon: Awaited<ReturnType<typeof startDaemon>>) => Promise<T>,
  ): Promise<T> {
    const config = testConfig({ upstream: database.url });
    const stderr = { write: () => undefined };
    const daemon = await start(config, { env: {}, stderr, version: '0.0.0-test' });
    try {
      return await work(daemon);
    } finally {
      await daemon.stop();
    }
  }

  type Daemon = Awaited<ReturnType<typeof startDaemon>>;
  const newSession = async ({ restUrl }: Daemon, reads = 'staged'): Promise<string> =>
    (await callHttp(restUrl, 'POST', '/sessions', { json: { reads } })).body.session_id;
  async function run({ proxyAddress }: Daemon, session: string, text: string) {
    const url = new URL(database.url);
    url.hostname = proxyAddress.host;
    url.port = String(proxyAddress.port);
    url.search = `?options=${encodeURIComponent(`-c service_session=${session}`)}`;
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }
  const isMarked = async () => {
    const [row] = await database.query<{ marked: boolean }>(
      `SELECT prosrc LIKE '%${marker}%' AS marked FROM pg_proc WHERE proname = 'update_' || 'products'::regclass::oid`,
    );
    return row?.marked;
  };

  test('row triggers are those of the release that serves, and staged rows stay', async () => {
    const session = await serving(startThis, async (daemon) => {
      const id = await newSession(daemon);
      await run(daemon, id, `UPDATE products SET stock = 7 WHERE sku = 'MUG-01'`);
      return id;
    });
    assert.is(await isMarked(), false);
    const stock = `SELECT stock FROM products WHERE sku = 'MUG-01'`;
    await serving(other.start, async (daemon) => {
      assert.equal(await run(daemon, session, stock), [{ stock: 7 }]);
      await run(daemon, session, `UPDATE products SET stock = stock + 1 WHERE sku = 'MUG-01'`);
      assert.is(await isMarked(), true);
      const next = await newSession(daemon);
      await run(daemon, next, `UPDATE products SET stock = 1 WHERE sku = 'MUG-01'`);
      assert.equal(await run(daemon, session, stock), [{ stock: 8 }]);
    });
    await serving(startThis, async (daemon) => {
      const diff = await callHttp(daemon.restUrl, 'GET', `/sessions/${session}/diff`);
      assert.is(diff.body.tables.products.changes[0].after.stock, 8);
      await callHttp(daemon.restUrl, 'POST', `/sessions/${session}/propose`);
      const { status } = await callHttp(daemon.restUrl, 'POST', `/sessions/${session}/approve`);
      assert.is(status, 200);
      assert.is(await isMarked(), false);
    });
    assert.equal(await database.query(stock), [{ stock: 8 }]);
  });

  const versions = () =>
    database.query(
      `SELECT (SELECT version FROM stage.release) AS release, (SELECT hash FROM stage.function WHERE name = 'display_value.sql') AS hash`,
    );

  test('beside a newer one that has come, the daemon only reads, and goes back to nothing', async () => {
    const newer = await anotherRelease('99.0.0');
    try {
      await serving(startThis, async (old) => {
        const { restUrl, proxyAddress } = old;
        const session = await newSession(old);
        await run(old, session, `UPDATE products SET stock = 3 WHERE sku = 'MUG-01'`);
        const kept = await newSession(old, 'production');
        const url = new URL(database.url);
        url.hostname = proxyAddress.host;
        url.port = String(proxyAddress.port);
        url.search = `?options=${encodeURIComponent(`-c service_session=${kept}`)}`;
        const client = new pg.Client({ connectionString: url.href });
        client.on('error', () => undefined);
        await client.connect();
        await serving(newer.start, async (next) => {
          const now = await versions();
          // before the daemon has checked
          const early = await callHttp(restUrl, 'POST', `/sessions/${session}/propose`);
          assert.equal([early.status, early.body.error], [503, 'service_outdated']);
          assert.ok(early.body.hint);
          const { body: health } = await callHttp(restUrl, 'GET', '/health');
          assert.is(health.status, 'degraded');
          assert.match(health.error, /99\.0\.0/);
          for (const path of ['propose', 'approve', 'reject']) {
            const late = await callHttp(restUrl, 'POST', `/sessions/${session}/${path}`, {
              json: {},
            });
            assert.equal([late.status, late.body.error], [503, 'service_outdated'], path);
          }
          assert.is((await callHttp(restUrl, 'POST', '/sessions', { json: {} })).status, 503);
          assert.is((await callHttp(restUrl, 'GET', '/readyz')).status, 503);
          assert.is((await callHttp(restUrl, 'GET', `/sessions/${session}`)).status, 200);
          const error = await rejects(
            client.query(`UPDATE products SET stock = 4 WHERE sku = 'MUG-01'`),
          );
          assert.is(error.code, '25006');
          assert.is((await client.query('SELECT count(*) FROM products')).rowCount, 1);
          await client.end();
          await callHttp(next.restUrl, 'POST', `/sessions/${session}/propose`);
          const { status } = await callHttp(next.restUrl, 'POST', `/sessions/${session}/approve`);
          assert.is(status, 200);
          assert.equal(await versions(), now);
        });
      });
      const before = await versions();
      const refused = await rejects(serving(startThis, async () => undefined));
      assert.is(refused.code, 'schema_too_new');
      assert.match(refused.message, /99\.0\.0/);
      assert.equal(await versions(), before);
    } finally {
      await rm(newer.folder, { recursive: true });
    }
  });
});
