/** Cancel requests in each way that a client can send them, while a staged write waits for a row, and while a COPY waits for data. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCancelKeys } from '../../src/client-connection/cancel.ts';
import { backend } from '../../src/wire/message-codes.ts';
import { cancelWays, sendCancel } from '../helpers/cancel-request.ts';
import { createCertificate } from '../helpers/login-server.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';
import { data, done, exchange, inWords, q } from '../helpers/wire-script.ts';

const schema = 'CREATE TABLE item (id int PRIMARY KEY, n int); INSERT INTO item VALUES (1, 0)';

suite('cancel requests in each way', (test) => {
  let directory: string;
  let proxied: Proxied;
  test.before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stage-tls-'));
    const { certFile: tlsCert, keyFile: tlsKey } = await createCertificate(directory, 'front');
    proxied = await startProxied(schema, { tlsCert, tlsKey });
  });
  test.after(async () => {
    await proxied.stop();
    await rm(directory, { recursive: true });
  });

  const waits = () =>
    until(async () => {
      const rows = await proxied.database.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows.length > 0;
    });

  for (const [name, send] of Object.entries(cancelWays)) {
    test(`${name}: a staged write that waits for a row`, async () => {
      const url = await proxied.session('staged');
      const [first, second] = [await proxied.connect(url), await proxied.connect(url)];
      await first.query('BEGIN');
      await first.query('UPDATE item SET n = 1 WHERE id = 1');
      for (let round = 0; round < 3; round += 1) {
        const failed = rejects(second.query('UPDATE item SET n = 2 WHERE id = 1'));
        await waits();
        await sendCancel(second, proxied.daemon.proxy.port, send);
        assert.is((await failed).code, '57014');
        // the request has met its statement, and not this one
        await second.query('SELECT pg_sleep(0.02)');
      }
      await first.query('COMMIT');
      assert.equal((await second.query('SELECT n FROM item')).rows, [{ n: 1 }]);
    });

    test(`${name}: a COPY that waits for data`, async () => {
      const client = await proxied.wire(await proxied.session('staged'));
      client.send(q('COPY item FROM STDIN'));
      await client.readTo(backend.copyInResponse);
      client.send(data('500\t1\n'));
      await client.cancel(send);
      client.send(data('501\t1\n'), done);
      const heard = (await client.readTo(backend.readyForQuery)).map(inWords).join('\n');
      assert.match(heard, /C=57014 M=canceling statement due to user request/);
      const rows = await exchange(client, q('SELECT count(*)::int FROM item'));
      assert.match(rows.join('\n'), /^D .*1$/m);
    });
  }
});

suite('cancel requests that arrive while another one is passed on', (test) => {
  test('are passed on after it, as one', async () => {
    const ends: (() => void)[] = [];
    const keys = createCancelKeys();
    const key = keys.issue(4, 7, () => new Promise((resolve) => void ends.push(resolve)));
    const heard: string[] = [];
    const request = (name: string) => keys.cancel(key).then(() => void heard.push(name));
    const first = request('first');
    await until(() => ends.length === 1);
    const later = [request('second'), request('third')];
    ends[0]?.();
    await first;
    await until(() => ends.length === 2);
    assert.equal(heard, ['first']);
    ends[1]?.();
    await Promise.all(later);
    assert.equal(heard, ['first', 'second', 'third']);
    assert.is(ends.length, 2);
  });

  test('are passed on although it has failed', async () => {
    let count = 0;
    const keys = createCancelKeys();
    const key = keys.issue(4, 7, async () => {
      count += 1;
      if (count === 1) throw new Error('the upstream is gone');
    });
    const first = rejects(keys.cancel(key));
    await until(() => count === 1);
    await keys.cancel(key);
    assert.match((await first).message, /gone/);
    assert.is(count, 2);
  });
});
