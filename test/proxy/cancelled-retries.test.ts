/** A statement that the client has cancelled is not run again, although another try could succeed. */
import { backend } from '../../src/wire/message-codes.ts';
import type { Relayed } from '../helpers/relay.ts';
import { startRelayed } from '../helpers/relay.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';
import { b, e, exchange, inWords, p, q, s } from '../helpers/wire-script.ts';

const schema = 'CREATE TABLE item (id int PRIMARY KEY, n int); INSERT INTO item VALUES (1, 0)';
const change = 'UPDATE item SET n = n + 10 WHERE id = 1';

suite('retries of a statement that is cancelled', (test) => {
  let relayed: Relayed;
  test.before(async () => {
    relayed = await startRelayed(schema);
    await relayed.database.query(`GRANT ALL ON item TO ${relayed.reader.name}`);
  });
  test.after(() => relayed.stop());

  /** Waits until a backend is in such a state. */
  const untilIts = (pid: string, state: string) =>
    until(async () => {
      const rows = await relayed.database.query(
        `SELECT FROM pg_stat_activity WHERE pid = ${pid} AND ${state}`,
      );
      return rows.length > 0;
    });

  for (const [protocol, messages] of [
    ['simple', [q(change)]],
    ['extended', [p(change), b(), e(), s]],
  ] as const) {
    test(`a row that another connection has changed, ${protocol} protocol`, async () => {
      const session = await relayed.daemon.newSession({ reads: 'staged' });
      const other = await relayed.connect(session);
      const client = await relayed.connect(session);
      const reported = await exchange(client, q('SELECT pg_backend_pid()'));
      const [pid = ''] = /\d+$/.exec(reported.find((each) => each.startsWith('D ')) ?? '') ?? [];
      await exchange(other, q('BEGIN'));
      await exchange(other, q('UPDATE item SET n = 1 WHERE id = 1'));
      client.send(...messages);
      await untilIts(pid, `wait_event_type = 'Lock'`);
      const release = relayed.relay.hold(relayed.reader.name);
      await exchange(other, q('COMMIT'));
      // the server has failed the first try, and the proxy does not know it yet
      await untilIts(pid, `state LIKE 'idle%'`);
      await client.cancel();
      release();
      const [error] = (await client.readTo(backend.readyForQuery))
        .map(inWords)
        .filter((each) => each.startsWith('E '));
      assert.match(error ?? '', /C=57014 M=canceling statement due to user request/);
      const rows = await exchange(client, q('SELECT n FROM item'));
      assert.is(
        rows.find((each) => each.startsWith('D ')),
        'D .\u0001...\u00011',
      );
      client.close();
      other.close();
    });
  }
});
