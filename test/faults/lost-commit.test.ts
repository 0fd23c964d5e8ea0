/** A lost COMMIT, or a lost response to one: the caller is told the true state. */
import pg from 'pg';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import type { FaultProxy, Moment } from '../helpers/fault-proxy.ts';
import { startFaultProxy } from '../helpers/fault-proxy.ts';
import { assert, suite } from '../helpers/suite.ts';

interface Operation {
  readonly method: 'POST' | 'DELETE';
  readonly path: string;
  /** Brings about the session's state that the operation starts from. */
  readonly from: 'nothing' | 'active' | 'proposed';
  readonly done: { readonly status: number; readonly state: string };
}

const operations: Readonly<Record<string, Operation>> = {
  create: { method: 'POST', path: '', from: 'nothing', done: { status: 201, state: 'active' } },
  propose: {
    method: 'POST',
    path: '/propose',
    from: 'active',
    done: { status: 200, state: 'proposed' },
  },
  approve: {
    method: 'POST',
    path: '/approve',
    from: 'proposed',
    done: { status: 200, state: 'approved' },
  },
  reject: {
    method: 'POST',
    path: '/reject',
    from: 'proposed',
    done: { status: 200, state: 'rejected' },
  },
  delete: { method: 'DELETE', path: '', from: 'active', done: { status: 200, state: 'deleted' } },
};

suite('a COMMIT without an answer', (test) => {
  let database: TestDatabase;
  let proxy: FaultProxy;
  let daemon: TestDaemon;
  let other: pg.Client;
  test.before(async () => {
    database = await createTestDatabase();
    proxy = await startFaultProxy(database);
    daemon = await startTestDaemon({ database, flags: { upstream: proxy.urlFor(database) } });
    other = new pg.Client({ connectionString: proxy.urlFor(database) });
    await other.connect();
  });
  test.after(async () => {
    await other.end();
    await daemon.stop();
    await proxy.stop();
    await database.drop();
  });

  const sessions = async () =>
    (await daemon.call('GET', '/sessions?limit=500')).body.sessions as {
      id: string;
      status: string;
    }[];
  const stateOf = async (id: string) =>
    (await sessions()).find((session) => session.id === id)?.status ?? 'deleted';

  /** Loses the COMMIT of the next request. COMMITs of other transactions pass, because the daemon sends its own at any time. */
  async function lose(
    isVerdict: boolean,
    lost: Moment['lost'],
  ): Promise<{ readonly cut: Promise<void> }> {
    const after = isVerdict ? 'stage.decide(' : 'stage.emit(';
    const cut = proxy.cutAt({ word: 'COMMIT', after, lost });
    await other.query('BEGIN');
    await other.query('COMMIT');
    return { cut };
  }

  async function prepare(from: Operation['from']): Promise<string> {
    if (from === 'nothing') return '';
    const id = await daemon.newSession();
    const client = new pg.Client({ connectionString: daemon.clientUrl(id) });
    await client.connect();
    await client.query('UPDATE products SET stock = stock + 1 WHERE id = 1');
    await client.end();
    if (from === 'proposed') await daemon.call('POST', `/sessions/${id}/propose`);
    return id;
  }

  for (const [name, { method, path, from, done }] of Object.entries(operations)) {
    test(`${name}: when it was committed, the answer is the usual one`, async () => {
      const id = await prepare(from);
      const { cut } = await lose(from === 'proposed', 'answer');
      const { status, body } = await daemon.call(method, `/sessions${id && `/${id}`}${path}`, {
        json: {},
      });
      await cut;
      assert.is(status, done.status, JSON.stringify(body));
      assert.is(body.status, done.state);
      assert.is(await stateOf(body.id), done.state);
    });

    test(`${name}: when it was not, that is said, and it can be asked for again`, async () => {
      const id = await prepare(from);
      const before = (await sessions()).length;
      const { cut } = await lose(from === 'proposed', 'message');
      const call = () => daemon.call(method, `/sessions${id && `/${id}`}${path}`, { json: {} });
      const { status, headers, body } = await call();
      await cut;
      assert.equal(
        [status, body.error, body.reason],
        [503, 'upstream_unavailable', 'outcome_undone'],
      );
      assert.ok(headers['retry-after']);
      assert.match(body.message, /nothing was changed/);
      assert.is((await sessions()).length, before);
      if (id) assert.is(await stateOf(id), from);
      assert.is((await call()).status, done.status);
    });
  }
});
