/** The cost of a list of sessions does not grow with the mutations that other sessions have logged. */
import { setTimeout as delay } from 'node:timers/promises';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

suite('sessions beside a long mutation log', (test) => {
  let daemon: TestDaemon;
  test.before(async () => {
    daemon = await startTestDaemon();
  });
  test.after(() => daemon.stop());

  const logged = 20_000;

  test('no session without mutations looks through those of others', async () => {
    const { database } = daemon;
    const ids = [await daemon.newSession(), await daemon.newSession(), await daemon.newSession()];
    const uuids = ids.slice(0, 2).map((id) => id.replace('sess_', ''));
    await database.query(
      `INSERT INTO stage.mutation (id, session, statement, operation, relation, table_name, query, params, affected_rows, executed_at)
       SELECT nextval('stage.seq'), ('{${uuids}}'::uuid[])[1 + g % 2], 1, 'UPDATE', 1, 't', 'UPDATE t', '[]', 1, timestamptz '2100-01-01 00:00Z' + g * interval '1 s'
       FROM generate_series(1, ${logged}) g`,
    );
    await database.query('ANALYZE stage.mutation');
    const used = async () => {
      const [row] = await database.query(
        `SELECT sum(idx_scan) AS scans, sum(idx_tup_read) FILTER (WHERE indexrelname = 'mutation_pkey') AS entries FROM pg_stat_user_indexes WHERE relid = 'stage.mutation'::regclass`,
      );
      return { scans: Number(row?.['scans']), entries: Number(row?.['entries']) };
    };
    const before = await used();
    const { body } = await daemon.call('GET', '/sessions');
    const updated = new Map(
      body.sessions.map((session: { id: string; updated_at: string }) => [
        session.id,
        session.updated_at,
      ]),
    );
    // the time of each session's last mutation
    assert.equal(
      ids.slice(0, 2).map((id) => String(updated.get(id)).slice(0, 19)),
      ['2100-01-01T05:33:20', '2100-01-01T05:33:19'],
    );
    assert.ok(String(updated.get(ids[2])) < '2100');
    // a backend reports its statistics once a second, with its next statement
    const after = await until(async () => {
      const { body: page } = await daemon.call('GET', '/sessions?limit=1');
      assert.is(page.sessions[0].id, ids[2]);
      // each query reads, too, so only few run in that second
      await delay(200);
      const now = await used();
      return now.scans > before.scans ? now : null;
    });
    const read = after.entries - before.entries;
    assert.ok(read < logged / 2, `${read} mutations of any session were looked at`);
  });
});
