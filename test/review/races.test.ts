/** Reviews concurrent with each other, with writers and with production: there is one outcome, and state, data and audit always agree. */
import pg from 'pg';
import type { StageError } from '../../src/errors.ts';
import type { Session } from '../../src/model/session.ts';
import { listAudit } from '../../src/review/audit-store.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { rejectSession } from '../../src/review/decisions/reject.ts';
import { verifyAudit } from '../../src/review/verify-audit.ts';
import { deleteSession } from '../../src/staging/discard.ts';
import { listMutations } from '../../src/staging/mutation-log.ts';
import { getSession } from '../../src/staging/session-store.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase, diffOf } from '../helpers/staging-database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

const schema = `
CREATE TABLE owner (id int PRIMARY KEY, name text);
CREATE TABLE pet (id int PRIMARY KEY, owner int REFERENCES owner ON DELETE CASCADE);
CREATE TABLE account (id int PRIMARY KEY, balance int, note text);`;
const data = `
INSERT INTO owner VALUES (1), (2); INSERT INTO account SELECT g, 100 FROM generate_series(1, 20) g`;
const nobody = { approvedBy: null, digest: null };
const patient = { ...nobody, lockTimeoutMs: 20_000 };

suite('races', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
  });
  test.after(() => staging.close());
  test.afterEach(async () => {
    assert.equal((await verifyAudit(staging.service)).firstBad, null);
    await staging.reset();
  });

  async function proposed(statements: string): Promise<string> {
    const session = await staging.open();
    await staging.stage(session, statements);
    await proposeSession(staging.service, session);
    return session;
  }

  const entriesOf = async (sessionId: string) =>
    (await listAudit(staging.service, { projectId: 'test', sessionId, limit: 0, offset: 0 }))
      .totalCount;

  const balance = async (id: number) =>
    (
      await staging.database.query<{ balance: number }>(
        `SELECT balance FROM account WHERE id = ${id}`,
      )
    )[0]?.balance;

  /** Waits until somebody in the database waits for a lock. */
  async function untilSomebodyWaits(): Promise<void> {
    await until(async () => {
      const waiting = await staging.database.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    });
  }

  /** Blocks approvals after they have locked their rows and compared them. Returns a function that ends the block. */
  async function holdAuditHead(): Promise<() => Promise<void>> {
    const holder = new pg.Client({ connectionString: staging.database.url });
    holder.on('error', () => undefined);
    await holder.connect();
    await holder.query('BEGIN; SELECT FROM stage.audit_head FOR UPDATE');
    return () => holder.end();
  }

  /** Begins an approval. Returns it after it has met a locked row and released everything. */
  async function triedInVain(session: string): Promise<{ approving: Promise<string> }> {
    const [{ now } = { now: '' }] = await staging.database.query<{ now: string }>(
      'SELECT clock_timestamp()::text AS now',
    );
    const approving = outcome(approveSession(staging.service, session, patient));
    await until(async () => {
      const found = await staging.database.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'stage'
         AND query = 'ROLLBACK' AND query_start > $1`,
        [now],
      );
      return found.length > 0;
    });
    return { approving };
  }

  const outcome = (work: Promise<Session | object>) =>
    work.then(
      () => 'done',
      (error: StageError) => error.code,
    );

  test('one session approved many times at once is applied once', async () => {
    const session = await proposed('UPDATE account SET balance = balance + 1');
    const { digest } = await diffOf(staging.service, session);
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        outcome(
          approveSession(staging.service, session, {
            approvedBy: null,
            digest: index % 2 ? digest : null,
          }),
        ),
      ),
    );
    assert.ok(outcomes.includes('done'));
    const others = outcomes.filter((code, index) => code !== 'done' && index % 2 === 1);
    assert.equal(
      others.filter((code) => code !== 'session_busy'),
      [],
      'those who name the digest get the same answer',
    );
    assert.is(await balance(1), 101);
    assert.is(await entriesOf(session), 20);
  });

  test('two sessions with the same rows: one is applied, the other conflicts', async () => {
    const one = await proposed(
      'UPDATE account SET balance = 1 WHERE id = 1; UPDATE account SET balance = 1 WHERE id = 2',
    );
    const two = await proposed(
      'UPDATE account SET balance = 2 WHERE id = 2; UPDATE account SET balance = 2 WHERE id = 1',
    );
    const outcomes = await Promise.all(
      [one, two].map((id) => outcome(approveSession(staging.service, id, nobody))),
    );
    assert.equal([...outcomes].sort(), ['conflict_detected', 'done']);
    const winner = outcomes[0] === 'done' ? 1 : 2;
    assert.equal([await balance(1), await balance(2)], [winner, winner]);
    assert.is((await entriesOf(one)) + (await entriesOf(two)), 2);
  });

  test('many approvals at once neither block each other for good nor lose an update', async () => {
    const sessions = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        proposed(`UPDATE account SET balance = balance + 1 WHERE id IN (${n + 1}, ${n + 2})`),
      ),
    );
    const outcomes = await Promise.all(
      sessions.map((id) => outcome(approveSession(staging.service, id, nobody))),
    );
    const done = outcomes.filter((code) => code === 'done').length;
    assert.is(outcomes.filter((code) => code === 'conflict_detected').length, 6 - done);
    const [sum] = await staging.database.query<{ sum: string }>(
      'SELECT sum(balance) AS sum FROM account',
    );
    assert.is(Number(sum?.sum), 2000 + 2 * done);
  });

  test('approve, reject and delete raced: one of them', async () => {
    for (let round = 0; round < 5; round += 1) {
      const session = await proposed(`UPDATE account SET note = 'r${round}' WHERE id = 5`);
      const outcomes = await Promise.all([
        outcome(approveSession(staging.service, session, nobody)),
        outcome(rejectSession(staging.service, session, null)),
        outcome(deleteSession(staging.service, session)),
      ]);
      assert.is(outcomes.filter((code) => code === 'done').length, 1, outcomes.join());
      const applied = outcomes[0] === 'done';
      assert.is(await entriesOf(session), applied ? 1 : 0);
      const [row] = await staging.database.query<{ note: string }>(
        'SELECT note FROM account WHERE id = 5',
      );
      assert.is(row?.note === `r${round}`, applied);
      assert.is(await staging.stagedRows(session), 0);
    }
  });

  test('an open transaction with staged writes keeps the session from being proposed or deleted', async () => {
    const session = await staging.open();
    const client = await staging.connect(session);
    try {
      await client.query('BEGIN');
      await client.query(
        `SELECT stage.begin_statement('q', '[]', '[]', '{}', current_setting('search_path'))`,
      );
      await client.query('UPDATE account SET balance = 0');
      const codes = await Promise.all([
        outcome(proposeSession(staging.service, session)),
        outcome(deleteSession(staging.service, session)),
      ]);
      assert.equal(codes, ['session_busy', 'session_busy']);
      const proposing = proposeSession(staging.service, session);
      await untilSomebodyWaits();
      await client.query('COMMIT');
      assert.is((await proposing).mutationCount, 1, 'what was in flight is counted');
      assert.is(
        (await listMutations(staging.service, session, { limit: 9, offset: 0 })).totalCount,
        1,
      );
      await client.query('BEGIN');
      await client.query(
        `SELECT stage.begin_statement('q', '[]', '[]', '{}', current_setting('search_path'))`,
      );
      assert.is((await rejects(client.query('UPDATE account SET balance = 0'))).code, '25006');
    } finally {
      await client.end();
    }
  });

  test('production writes a row while it is being approved: it conflicts', async () => {
    const session = await proposed('UPDATE account SET balance = 50 WHERE id = 3');
    const client = await staging.connect(session);
    try {
      await client.query('BEGIN; UPDATE public.account SET balance = 7 WHERE id = 3');
      const { approving } = await triedInVain(session);
      await client.query('COMMIT');
      assert.is(await approving, 'conflict_detected');
      assert.is(await balance(3), 7);
    } finally {
      await client.end();
    }
  });

  test('nothing can refer to a row any more that is about to be deleted, but to others it can', async () => {
    const session = await proposed(
      `DELETE FROM owner WHERE id = 1; UPDATE owner SET name = 'n' WHERE id = 2`,
    );
    const release = await holdAuditHead();
    const client = await staging.connect(session);
    try {
      const approving = approveSession(staging.service, session, patient);
      await untilSomebodyWaits();
      await client.query('BEGIN; INSERT INTO public.pet VALUES (2, 2)');
      await client.query(`SAVEPOINT s; SET LOCAL lock_timeout = '50ms'`);
      const error = await rejects(client.query('INSERT INTO public.pet VALUES (1, 1)'));
      assert.is(error.code, '55P03');
      await client.query('ROLLBACK TO s; COMMIT');
      await release();
      assert.is((await approving).status, 'approved');
    } finally {
      await client.end();
    }
  });

  test('the connection dies under an approval: nothing happened, and it can be repeated', async () => {
    const session = await proposed('UPDATE account SET balance = 50 WHERE id < 10');
    const release = await holdAuditHead();
    const approving = outcome(approveSession(staging.service, session, patient));
    await untilSomebodyWaits();
    await staging.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    assert.is(await approving, 'upstream_unavailable');
    await release();
    assert.is((await getSession(staging.service, session)).status, 'proposed');
    assert.equal([await balance(1), await entriesOf(session)], [100, 0]);
    assert.is((await approveSession(staging.service, session, nobody)).status, 'approved');
    assert.equal([await balance(1), await entriesOf(session)], [50, 9]);
  });
});
