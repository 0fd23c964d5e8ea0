/** A full disk under production, or under staged rows: nothing is half done, and everything continues once there is space. */
import { execFile } from 'node:child_process';
import { chown, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import { assert, MissingProgram, rejects, suite } from '../helpers/suite.ts';

const execute = promisify(execFile);

suite('daemon: a disk that is full', (test) => {
  let daemon: TestDaemon;
  let folder: string;
  const clients: pg.Client[] = [];
  const space = `stage_full_${process.pid}`;
  test.before(async () => {
    daemon = await startTestDaemon();
    folder = await mkdtemp(join(tmpdir(), 'stage-full-'));
  });
  test.after(async () => {
    for (const client of clients) await client.end();
    await daemon.stop();
    const server = new pg.Client({ connectionString: process.env['STAGE_TEST_UPSTREAM'] });
    await server.connect();
    await server.query(`DROP TABLESPACE IF EXISTS ${space}`);
    await server.end();
    await execute('umount', [folder]).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  });

  /** Creates a small disk, as a tablespace. */
  async function makeDisk(): Promise<void> {
    const { database } = daemon;
    const [row] = await database.query<{ data: string }>(
      `SELECT current_setting('data_directory') AS data`,
    );
    try {
      const { uid, gid } = await stat(row?.data ?? '');
      await execute('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'none', folder]);
      await chown(folder, uid, gid);
    } catch {
      throw new MissingProgram('a disk to be filled');
    }
    await database.query(`CREATE TABLESPACE ${space} LOCATION '${folder}'`);
    await database.query(
      `CREATE TABLE page (id int PRIMARY KEY, v text) TABLESPACE ${space};
       ALTER TABLE page ALTER COLUMN v SET STORAGE EXTERNAL`,
    );
  }
  /** Uses all remaining space. */
  async function takeSpace(): Promise<void> {
    await daemon.database.query(
      `CREATE TABLE filler (v text) TABLESPACE ${space}; ALTER TABLE filler ALTER COLUMN v SET STORAGE EXTERNAL`,
    );
    for (;;) {
      try {
        await daemon.database.query(
          `INSERT INTO filler SELECT repeat('x', 7000) FROM generate_series(1, 20)`,
        );
      } catch (error) {
        assert.is((error as pg.DatabaseError).code, '53100');
        return;
      }
    }
  }
  const giveSpace = () => daemon.database.query('DROP TABLE filler');
  const pages = async () => (await daemon.database.query('SELECT FROM page')).length;
  async function open(session: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: daemon.clientUrl(session) });
    await client.connect();
    clients.push(client);
    return client;
  }
  const write = (from: number) =>
    `INSERT INTO page SELECT g, repeat('y', 7000) FROM generate_series(${from}, ${from + 99}) g`;

  test(
    'under production: the approval says so, applies nothing, and goes through once there is space',
    async () => {
      await makeDisk();
      const session = await daemon.newSession();
      await (await open(session)).query(write(1));
      await daemon.call('POST', `/sessions/${session}/propose`);
      await takeSpace();
      const { status, body } = await daemon.call('POST', `/sessions/${session}/approve`);
      assert.equal([status, body.error], [503, 'upstream_unavailable'], JSON.stringify(body));
      assert.match(body.message, /disk space/);
      assert.is(await pages(), 0);
      assert.is((await daemon.call('GET', `/sessions/${session}`)).body.status, 'proposed');
      await giveSpace();
      assert.is((await daemon.call('POST', `/sessions/${session}/approve`)).status, 200);
      assert.is(await pages(), 100);
    },
    { timeout: 90_000 },
  );

  test(
    'under what is staged: the statement fails as a whole, the session is decided all the same',
    async () => {
      const { database } = daemon;
      const session = await daemon.newSession({ reads: 'staged' });
      const client = await open(session);
      await client.query(`UPDATE page SET v = 'z' WHERE id = 1`);
      await client.end();
      clients.splice(clients.indexOf(client), 1);
      await database.query(
        `DO $$ BEGIN EXECUTE format('ALTER TABLE stage_data.shadow_%s SET TABLESPACE ${space}', 'page'::regclass::oid); END $$`,
      );
      await takeSpace();
      const again = await open(session);
      const error = await rejects<pg.DatabaseError>(again.query(write(1000)));
      assert.is(error.code, '53100');
      assert.is((await again.query('SELECT FROM page WHERE id >= 1000')).rowCount, 0);
      assert.is((await again.query(`SELECT FROM page WHERE v = 'z'`)).rowCount, 1);
      await again.end();
      clients.splice(clients.indexOf(again), 1);
      await daemon.call('POST', `/sessions/${session}/propose`);
      const { status } = await daemon.call('POST', `/sessions/${session}/reject`, { json: {} });
      assert.is(status, 200, 'to reject needs no space there');
      await giveSpace();
      const next = await open(await daemon.newSession());
      assert.is((await next.query(write(1000))).rowCount, 100);
    },
    { timeout: 90_000 },
  );
});
