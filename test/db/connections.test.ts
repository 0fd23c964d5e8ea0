/** The settings that every connection of the service account must have. A connection without them is not used. */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../src/db/database.ts';
import { createDatabase } from '../../src/db/database.ts';
import type { StageError } from '../../src/errors.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase, serverMajor } from '../helpers/database.ts';
import type { Pooler } from '../helpers/pooler.ts';
import { startPooler } from '../helpers/pooler.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

const pinned = {
  jit: 'off',
  search_path: 'pg_catalog,pg_temp',
  statement_timeout: '10min',
  lock_timeout: '10s',
  idle_in_transaction_session_timeout: '15s',
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '15000',
};

suite('connections of the service account', (test) => {
  let database: TestDatabase;
  let db: Database;
  test.before(async () => {
    database = await createTestDatabase({ template: 'empty' });
    // Settings of a role or a database have lower precedence.
    await database.query(
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET jit = on', current_database()); END $$`,
    );
    db = createDatabase({ url: database.url, maxConnections: 2 });
  });
  test.after(async () => {
    await db.close();
    await database.drop();
  });

  test('carry their limits, in transactions and outside', async () => {
    const read = `SELECT ${Object.keys(pinned)
      .map((name) => `current_setting('${name}') AS ${name}`)
      .join(', ')}`;
    assert.equal((await db.query(read))[0], pinned);
    assert.equal(await db.transaction(async (tx) => (await tx.query(read))[0]), pinned);
  });

  test('limit whole transactions where the server can', async () => {
    const [row] = await db.query(`SELECT current_setting('transaction_timeout', true) AS limit`);
    assert.is(row?.['limit'], (await serverMajor()) < 17 ? null : '15min');
  });

  test('have the server look whether the daemon is still there', async () => {
    const [row] = await db.query('SHOW client_connection_check_interval');
    assert.equal(row, { client_connection_check_interval: '2s' });
  });

  test('say that the database takes none for a while', async () => {
    const late = createDatabase({ url: database.url, maxConnections: 1 });
    // PostgreSQL allows this only from another database.
    const outside = await createTestDatabase({ template: 'empty' });
    const allow = (isAllowed: boolean) =>
      outside.query(`ALTER DATABASE ${database.name} ALLOW_CONNECTIONS ${isAllowed}`);
    await allow(false);
    try {
      for (const work of [() => late.query('SELECT 1'), () => late.transaction(async () => 1)]) {
        const error = await rejects<StageError>(work());
        assert.is(error.code, 'upstream_unavailable');
        assert.match(error.hint ?? '', /ALLOW_CONNECTIONS true/);
      }
    } finally {
      await allow(true);
    }
    assert.is(await late.transaction(async () => 1), 1);
    await late.close();
    await outside.drop();
  });

  test('may end while others are still being opened', async () => {
    const { hostname, port } = new URL(database.url);
    const sockets: Socket[] = [];
    // passes the first connection on, and lets all others wait
    const relay = createServer((socket) => {
      sockets.push(socket);
      if (sockets.length === 1) socket.pipe(connect(Number(port), hostname)).pipe(socket);
    });
    await once(relay.listen(0, '127.0.0.1'), 'listening');
    const url = new URL(database.url);
    url.port = String((relay.address() as AddressInfo).port);
    const waiting = createDatabase({ url: url.href, maxConnections: 2, keepOpen: 2 });
    const opening = rejects(waiting.open());
    const open = `SELECT pid FROM pg_stat_activity WHERE application_name = 'stage' AND client_port IS NOT NULL
      AND datname = current_database() AND wait_event = 'ClientRead' AND query <> '' AND state = 'idle'`;
    const before = (await database.query(open)).length;
    await until(async () => sockets.length === 2 && (await database.query(open)).length > before);
    sockets[0]?.destroy();
    await delay(50);
    sockets[1]?.destroy();
    await opening;
    await waiting.close();
    relay.close();
  });

  test('are refused where something between drops what they carry', async () => {
    const pooler: Pooler = await startPooler(database.url);
    const url = new URL(database.url);
    url.host = `127.0.0.1:${pooler.port}`;
    const pooled = createDatabase({ url: url.href, maxConnections: 1 });
    try {
      for (const work of [
        () => pooled.query('SELECT 1'),
        () => pooled.transaction(async () => 1),
      ]) {
        const error = await rejects<StageError>(work());
        assert.is(error.code, 'configuration_invalid');
        assert.is(error.facts['reason'], 'pooler');
        assert.match(error.message, /\bsearch_path\b.*\bjit\b/s);
        assert.match(error.hint ?? '', /PostgreSQL itself/);
      }
    } finally {
      await pooled.close();
      await pooler.stop();
    }
  });
});
