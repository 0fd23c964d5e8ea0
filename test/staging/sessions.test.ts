/** Sessions and their mutation log in the database, and the effects of leaving a session. */
import type { StageError } from '../../src/errors.ts';
import { JsonText } from '../../src/model/json.ts';
import type { SessionEvent, SessionStatus } from '../../src/model/session.ts';
import { sessionStatuses, transitions } from '../../src/model/session.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { rejectSession } from '../../src/review/decisions/reject.ts';
import { reopenSession } from '../../src/review/decisions/reopen.ts';
import { revertSession } from '../../src/review/decisions/revert.ts';
import { resolveConflicts } from '../../src/review/edits/resolve.ts';
import { splitSession } from '../../src/review/edits/split.ts';
import { unstageRows } from '../../src/review/edits/unstage.ts';
import { rehearseSession } from '../../src/review/rehearsal/rehearse.ts';
import { deleteSession } from '../../src/staging/discard.ts';
import { listMutations } from '../../src/staging/mutation-log.ts';
import {
  countActiveSessions,
  createSession,
  findSession,
  getSession,
  listSessions,
} from '../../src/staging/session-store.ts';
import { usual } from '../helpers/rehearsing.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE t (id int PRIMARY KEY, v text);
CREATE TABLE child (id int PRIMARY KEY, t int REFERENCES t ON DELETE CASCADE);`;

/** The members that only later states of a session have. */
const later =
  `proposedAt approvedAt approvedBy rejectedAt reason proposedAs approvedAs rejectedAs reverts splitFrom remaining
  reviewedDigest applyAt scheduledAs breakGlass reviewDue reviewedAt reviewedAs`.split(/\s+/);

suite('sessions', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(
      schema,
      `INSERT INTO t SELECT g, 'v' FROM generate_series(1, 9) g; INSERT INTO child VALUES (1, 1), (2, 1)`,
    );
  });
  test.after(() => staging.close());

  test('are created active, with what was given kept verbatim', async () => {
    const metadata = new JsonText('{"z": 12345678901234567890.10,  "a": ["\\u0000", null]}');
    const created = await createSession(staging.service, {
      projectId: 'créé',
      metadata,
      reads: 'staged',
      conflictScope: 'column',
      createdAs: 'agent',
    });
    const { id, createdAt, updatedAt, lastEvent, ...rest } = await getSession(
      staging.service,
      created.id,
    );
    assert.match(id, /^sess_[0-9a-f]{32}$/);
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    assert.is(updatedAt, createdAt);
    assert.equal([lastEvent, created.lastEvent], ['1', '1']);
    assert.equal(rest, {
      projectId: 'créé',
      metadata,
      status: 'active',
      reads: 'staged',
      conflictScope: 'column',
      round: 0,
      mutationCount: 0,
      edits: 0,
      createdAs: 'agent',
      roles: [],
      ...Object.fromEntries(later.map((name) => [name, null])),
    });
    assert.is(
      (await createSession(staging.service, { projectId: 'p', metadata, reads: 'production' }))
        .conflictScope,
      'row',
    );
  });

  test('cannot be had by an unknown or impossible id', async () => {
    const log = { limit: 1, offset: 0 };
    for (const id of [
      `sess_${'0'.repeat(32)}`,
      'sess_',
      `sess_${'G'.repeat(32)}`,
      `SESS_${'0'.repeat(32)}`,
      `sess_${'0'.repeat(31)}'`,
      '',
    ]) {
      const works = [
        () => getSession(staging.service, id),
        () => listMutations(staging.service, id, log),
        () => deleteSession(staging.service, id),
      ];
      for (const work of works) {
        assert.is((await rejects<StageError>(work())).code, 'session_not_found', id);
      }
      assert.is(await findSession(staging.service, id), null);
    }
  });

  test('are found for a client without a look at what has been staged', async () => {
    const id = await staging.open();
    const { reads } = await getSession(staging.service, id);
    const client = await staging.connect(id);
    // a query that counts mutations would wait
    await client.query('BEGIN; LOCK TABLE stage.mutation');
    const opened = { id, reads, escapesBackslashes: false };
    assert.equal(await findSession(staging.service, id), opened);
    await client.end();
  });

  test('are listed newest first, filtered and paged', async () => {
    const metadata = new JsonText('{}');
    const ids: string[] = [];
    for (const projectId of ['list', 'list', 'other']) {
      ids.push(
        (await createSession(staging.service, { projectId, metadata, reads: 'production' })).id,
      );
    }
    await proposeSession(staging.service, String(ids[0]));
    const list = async (filter: object) => {
      const page = await listSessions(staging.service, { limit: 100, offset: 0, ...filter });
      return { ids: page.sessions.map(({ id }) => id), total: page.totalCount };
    };
    assert.equal(await list({ projectIds: ['list'] }), { ids: [ids[1], ids[0]], total: 2 });
    assert.equal(await list({ projectIds: ['list'], status: 'proposed' }), {
      ids: [ids[0]],
      total: 1,
    });
    assert.equal(await list({ projectIds: ['list'], limit: 1, offset: 1 }), {
      ids: [ids[0]],
      total: 2,
    });
    assert.equal((await list({ limit: 1 })).ids, [ids[2]]);
    const before = await countActiveSessions(staging.service);
    await deleteSession(staging.service, String(ids[2]));
    assert.is(await countActiveSessions(staging.service), before - 1);
  });

  test('log one mutation a statement, table and kind, without what cascades and what touched nothing', async () => {
    const session = await staging.open();
    await staging.stage(
      session,
      `UPDATE t SET v = 'w' WHERE id IN (2, 3); DELETE FROM t WHERE id = 1; UPDATE t SET v = 'w' WHERE id = 1;
       WITH d AS (DELETE FROM t WHERE id = 9 RETURNING id) INSERT INTO t SELECT id + 1, 'n' FROM d`,
    );
    const log = await listMutations(staging.service, session, { limit: 10, offset: 0 });
    assert.is(log.totalCount, 4);
    const short = log.mutations.map(({ type, table, affectedRows, query }) => [
      type,
      table,
      affectedRows,
      query?.slice(0, 6),
    ]);
    assert.equal(short.slice(0, 2), [
      ['UPDATE', 't', 2, 'UPDATE'],
      ['DELETE', 't', 1, 'DELETE'],
    ]);
    assert.equal(short.slice(2).sort(), [
      ['DELETE', 't', 1, 'WITH d'],
      ['INSERT', 't', 1, 'WITH d'],
    ]);
    const numbers = log.mutations.map(({ id }) => Number(/^mut_(\d+)$/.exec(id)?.[1]));
    assert.equal(
      numbers,
      [...numbers].sort((a, b) => a - b),
    );
    const find = async (filter: object) => {
      const page = await listMutations(staging.service, session, {
        limit: 10,
        offset: 0,
        ...filter,
      });
      return [page.mutations.length, page.totalCount];
    };
    assert.equal(await find({ type: 'DELETE' }), [2, 2]);
    assert.equal(await find({ table: 't', limit: 1, offset: 3 }), [1, 4]);
    assert.equal(await find({ table: 'child' }), [0, 0]);
    const { mutationCount, createdAt, updatedAt } = await getSession(staging.service, session);
    assert.is(mutationCount, 4);
    assert.is(updatedAt, log.mutations.at(-1)?.executedAt);
    assert.ok(updatedAt > createdAt);
    await proposeSession(staging.service, session);
    await rejectSession(staging.service, session, null);
  });

  test('leave no staged row, log or trace behind when deleted', async () => {
    const session = await staging.open();
    const other = await staging.open();
    await staging.stage(session, 'DELETE FROM t; INSERT INTO t VALUES (1)');
    await staging.stage(other, 'DELETE FROM t WHERE id = 1');
    assert.is(await staging.stagedRows(session), 12);
    const { sessionId, deletedAt } = await deleteSession(staging.service, session);
    assert.is(sessionId, session);
    assert.match(deletedAt, /^\d{4}-.*Z$/);
    assert.equal([await staging.stagedRows(session), await staging.stagedRows(other)], [0, 3]);
    const left = await staging.database.query('SELECT FROM stage.mutation WHERE session = $1', [
      session.slice(5),
    ]);
    assert.is(left.length, 0);
    await deleteSession(staging.service, other);
  });

  test('obey the table of transitions, every event in every state', async () => {
    const waits = { lockTimeoutMs: 2_000 };
    const events: Record<Exclude<SessionEvent, 'write'>, (id: string) => Promise<unknown>> = {
      resolve: (id) =>
        resolveConflicts(staging.service, id, {
          resolutions: [],
          withDependents: false,
          resolvedAs: null,
          lockTimeoutMs: 2_000,
        }),
      unstage: (id) =>
        unstageRows(staging.service, id, {
          rows: [],
          withDependents: false,
          unstagedAs: null,
          trialMs: null,
          lockTimeoutMs: 2_000,
        }),
      split: (id) =>
        splitSession(staging.service, id, { rows: [], withTies: false, splitAs: null, ...waits }),
      revert: (id) =>
        revertSession(staging.service, id, { skipChanged: false, revertedAs: null, ...waits }),
      rehearse: (id) => rehearseSession(staging.service, id, usual),
      propose: (id) => proposeSession(staging.service, id),
      reopen: (id) =>
        reopenSession(staging.service, id, { message: 'no', reopenedAs: null, asReviewer: true }),
      approve: (id) => approveSession(staging.service, id, { approvedBy: null, digest: null }),
      reject: (id) => rejectSession(staging.service, id, null),
      delete: (id) => deleteSession(staging.service, id),
    };
    for (const status of sessionStatuses) {
      for (const [event, run] of Object.entries(events)) {
        const id = await inState(status);
        const wanted = transitions[status][event as SessionEvent];
        if (wanted === null) {
          const error = await rejects<StageError>(run(id));
          assert.equal(
            [error.code, error.facts['status']],
            ['invalid_transition', status],
            `${event} in ${status}`,
          );
          assert.is((await getSession(staging.service, id)).status, status);
        } else {
          await run(id);
          const now = await getSession(staging.service, id).then(
            (session) => session.status,
            () => 'deleted',
          );
          assert.is(now, wanted, `${event} in ${status}`);
        }
      }
    }
  });

  async function inState(status: SessionStatus): Promise<string> {
    const id = await staging.open();
    if (status !== 'active') await proposeSession(staging.service, id);
    if (status === 'approved')
      await approveSession(staging.service, id, { approvedBy: null, digest: null });
    if (status === 'rejected') await rejectSession(staging.service, id, null);
    return id;
  }

  test('are kept consistent by the schema itself', async () => {
    const id = (await inState('proposed')).slice(5);
    for (const change of [
      `status = 'approved'`,
      `status = 'active'`,
      'proposed_at = NULL',
      'rejected_at = now()',
      `reason = 'x'`,
      `status = 'gone'`,
      'mutation_count = NULL',
      `metadata = '[]'`,
    ]) {
      const error = await rejects(
        staging.database.query(`UPDATE stage.session SET ${change} WHERE id = $1`, [id]),
      );
      assert.is(error.code, '23514', change);
    }
  });
});
