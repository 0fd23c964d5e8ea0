/** Sessions without activity for too long. */

import pg from 'pg';
import { JsonText } from '../../src/model/json.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { expireSessions } from '../../src/review/decisions/expire.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { rejectSession } from '../../src/review/decisions/reject.ts';
import { addComment, listEvents } from '../../src/staging/event-store.ts';
import { listMutations } from '../../src/staging/mutation-log.ts';
import { getSession } from '../../src/staging/session-store.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, suite } from '../helpers/suite.ts';

const hour = 3_600_000;

suite('expiry', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(
      'CREATE TABLE t (id int PRIMARY KEY, v text)',
      `INSERT INTO t SELECT g, 'v' FROM generate_series(1, 9) g`,
    );
  });
  test.after(() => staging.close());
  test.beforeEach(async () => {
    await expireSessions(staging.service, { active: 0, proposed: 0 });
  });

  const statusOf = async (id: string) => (await getSession(staging.service, id)).status;

  async function staged(statement = `UPDATE t SET v = 'staged' WHERE id = 1`): Promise<string> {
    const id = await staging.open();
    await staging.stage(id, statement);
    return id;
  }

  /** Moves everything that happened in a session into the past, by the given hours. */
  const age = (id: string, hours: number) => {
    const ago = `interval '${hours} hours'`;
    const uuid = id.slice('sess_'.length);
    return staging.database.query(`
      ALTER TABLE stage.event DISABLE TRIGGER append_only;
      UPDATE stage.session SET created_at = created_at - ${ago}, proposed_at = proposed_at - ${ago} WHERE id = '${uuid}';
      UPDATE stage.mutation SET executed_at = executed_at - ${ago} WHERE session = '${uuid}';
      UPDATE stage.event SET at = at - ${ago} WHERE session = '${uuid}';
      ALTER TABLE stage.event ENABLE TRIGGER append_only`);
  };

  test('rejects an active session, and discards what it staged', async () => {
    const [old, young] = [await staged(), await staged()];
    await age(old, 49);
    await age(young, 47);
    const expired = await expireSessions(staging.service, { active: 48 * hour });
    assert.equal(
      expired.map(({ id }) => id),
      [old],
    );
    const session = await getSession(staging.service, old);
    assert.is(session.status, 'rejected');
    assert.is(session.reason, 'expired: nothing has happened for 2 days while it was active');
    assert.is(session.mutationCount, 1);
    assert.is(await staging.stagedRows(old), 0);
    assert.is(await staging.stagedRows(young), 1);
    const log = await listMutations(staging.service, old, { limit: 9, offset: 0 });
    assert.is(log.totalCount, 0);
    const events = await listEvents(staging.service, old, { after: '0', limit: 9 });
    const last = events.at(-1);
    assert.is(last?.kind, 'expired');
    assert.equal(JSON.parse(last?.body.text ?? ''), { reason: session.reason, was: 'active' });
    assert.is(await statusOf(young), 'active');
  });

  test('rejects a proposed session by a time of its own', async () => {
    const [waiting, active] = [await staged(), await staged()];
    await proposeSession(staging.service, waiting);
    await age(waiting, 30);
    await age(active, 30);
    assert.equal(
      await expireSessions(staging.service, { active: 40 * hour, proposed: 31 * hour }),
      [],
    );
    await expireSessions(staging.service, { proposed: 29 * hour });
    assert.is(await statusOf(waiting), 'rejected');
    assert.is(await statusOf(active), 'active');
  });

  test('counts from the last write, the last change of state, and the last comment', async () => {
    const [written, proposed, discussed] = [await staged(), await staged(), await staged()];
    for (const id of [written, proposed, discussed]) await age(id, 30);
    await staging.stage(written, `UPDATE t SET v = 'again' WHERE id = 2`);
    await proposeSession(staging.service, proposed);
    const body = new JsonText('{"body": "soon"}');
    await addComment(staging.service, discussed, { by: null, body });
    assert.equal(
      await expireSessions(staging.service, { active: 29 * hour, proposed: 29 * hour }),
      [],
    );
    for (const id of [written, proposed, discussed]) await age(id, 30);
    const expired = await expireSessions(staging.service, {
      active: 29 * hour,
      proposed: 29 * hour,
    });
    assert.is(expired.length, 3);
  });

  test("leaves alone one that somebody writes in, and those behind it in nobody's way", async () => {
    const [busy, idle] = [await staged(), await staged()];
    await age(busy, 31);
    await age(idle, 30);
    const client = await staging.connect(busy);
    try {
      await client.query('BEGIN');
      await client.query(
        `SELECT stage.begin_statement('x', '[]', '[]', '{}', current_setting('search_path'))`,
      );
      await client.query(`UPDATE t SET v = 'in work' WHERE id = 3`);
      const expired = await expireSessions(staging.service, { active: hour });
      assert.equal(
        expired.map((session) => session.id),
        [idle],
      );
      await client.query('COMMIT');
    } finally {
      await client.end();
    }
    assert.is(await staging.stagedRows(busy), 2);
    assert.equal(await expireSessions(staging.service, { active: hour }), []);
    await age(busy, 2);
    assert.is((await expireSessions(staging.service, { active: hour })).length, 1);
  });

  test('holds nothing that others need while it discards', async () => {
    const [large, other, third] = [await staged(), await staged(), await staged()];
    await proposeSession(staging.service, other);
    const client = new pg.Client({ connectionString: staging.database.url });
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT stage.discard_rows($1, true)', [large.slice('sess_'.length)]);
      const nobody = { approvedBy: null, digest: null, lockTimeoutMs: 0 };
      assert.is((await approveSession(staging.service, other, nobody)).status, 'approved');
      await staging.stage(third, `UPDATE t SET v = 'beside' WHERE id = 1`);
      await proposeSession(staging.service, third);
      assert.is((await rejectSession(staging.service, third, null)).status, 'rejected');
      await staging.database.query(
        `SET LOCAL lock_timeout = '100ms'; UPDATE t SET v = 'x' WHERE id = 1`,
      );
    } finally {
      await client.end();
    }
  });

  test('happens once, whoever looks', async () => {
    const ids = [await staged(), await staged(), await staged()];
    for (const id of ids) await age(id, 30);
    const looks = await Promise.all(
      [1, 2, 3].map(() => expireSessions(staging.service, { active: hour })),
    );
    assert.equal(looks.flatMap((found) => found.map(({ id }) => id)).sort(), [...ids].sort());
  });

  test('does not touch a session that is decided, nor any where no time is set', async () => {
    const id = await staged();
    await age(id, 1000);
    assert.equal(await expireSessions(staging.service, {}), []);
    assert.is((await expireSessions(staging.service, { active: hour })).length, 1);
    await age(id, 1000);
    assert.equal(await expireSessions(staging.service, { active: hour, proposed: hour }), []);
  });
});
