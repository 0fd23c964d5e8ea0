/** Approval while others lock what it needs: it releases everything, retries for a while, and never blocks others. */
import pg from 'pg';
import type { StageError } from '../../src/errors.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { verifyAudit } from '../../src/review/verify-audit.ts';
import { getSession } from '../../src/staging/session-store.ts';
import { drawn } from '../helpers/net.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE owner (id int PRIMARY KEY, name text);
CREATE TABLE pet (id int PRIMARY KEY, owner int REFERENCES owner);
CREATE TABLE account (id int PRIMARY KEY, balance int, note text);`;
const data = `
INSERT INTO owner VALUES (1), (2); INSERT INTO account SELECT g, 100 FROM generate_series(1, 20) g`;
const patient = { approvedBy: null, digest: null, lockTimeoutMs: 25_000 };
/** The number of production's transactions that lock rows in the opposite order. */
const deadlockTries = drawn(25, 'DEADLOCKS');
const hasty = { ...patient, lockTimeoutMs: 200 };

/** Locks of production, each with a session that meets it. */
const obstacles: readonly (readonly [name: string, held: string, staged: string])[] = [
  [
    'a row',
    'UPDATE account SET note = note WHERE id = 9',
    'UPDATE account SET note = $$s$$ WHERE id < 10',
  ],
  ['a whole table', 'LOCK TABLE account', 'UPDATE account SET note = $$s$$ WHERE id < 10'],
  [
    'the row that a new one refers to',
    'SELECT FROM owner WHERE id = 1 FOR UPDATE',
    'UPDATE account SET note = $$s$$ WHERE id < 10; INSERT INTO pet VALUES (1, 1)',
  ],
  [
    'a new row of the same key',
    'INSERT INTO owner VALUES (3)',
    'UPDATE account SET note = $$s$$ WHERE id < 10; INSERT INTO owner VALUES (3)',
  ],
  [
    'the end of the audit',
    'SELECT FROM stage.audit_head FOR UPDATE',
    'UPDATE account SET note = $$s$$ WHERE id < 10',
  ],
];

suite('approval and the locks of others', (test) => {
  let staging: StagingDatabase;
  let holder: pg.Client;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
    await staging.database.query(
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = %L', current_database(), '300ms'); END $$`,
    );
  });
  test.after(() => staging.close());
  test.beforeEach(async () => {
    holder = new pg.Client({ connectionString: staging.database.url });
    await holder.connect();
  });
  test.afterEach(async () => {
    await holder.end();
    assert.equal((await verifyAudit(staging.service)).firstBad, null);
    await staging.reset();
  });

  async function proposed(statements: string): Promise<string> {
    const session = await staging.open();
    await staging.stage(session, statements);
    await proposeSession(staging.service, session);
    return session;
  }

  /** Writes a row of production with a short lock timeout. */
  const writeRow = (id: number) =>
    staging.database.query(
      `SET LOCAL lock_timeout = '5s'; UPDATE account SET note = note WHERE id = ${id}`,
    );

  for (const [name, held, staged] of obstacles) {
    test(`${name} in the way: busy, nothing is applied and nothing held; then approved`, async () => {
      const session = await proposed(staged);
      await holder.query(`BEGIN; ${held}`);
      const error = await rejects<StageError>(approveSession(staging.service, session, hasty));
      assert.equal([error.code, error.status], ['busy', 503]);
      assert.not.match(`${error.message} ${error.hint}`, /refused|[Rr]eject/);
      assert.is((await getSession(staging.service, session)).status, 'proposed');
      const waiting = approveSession(staging.service, session, patient);
      await holder.query('ROLLBACK');
      assert.is((await waiting).status, 'approved');
    });
  }

  test('while it tries, production writes its other rows and other sessions are approved', async () => {
    const session = await proposed('UPDATE account SET note = $$s$$ WHERE id < 10');
    const others = [];
    for (const id of [11, 12, 13])
      others.push(await proposed(`UPDATE account SET balance = 1 WHERE id = ${id}`));
    await holder.query('BEGIN; UPDATE account SET note = note WHERE id = 9');
    const approving = approveSession(staging.service, session, patient);
    for (const [index, other] of others.entries()) {
      assert.is((await approveSession(staging.service, other, patient)).status, 'approved');
      await writeRow(index + 1);
    }
    await holder.query('ROLLBACK');
    assert.is((await approving).status, 'approved');
  });

  const opposite = async () => {
    let writers = 2;
    const writer = async () => {
      const client = new pg.Client({ connectionString: staging.database.url });
      await client.connect();
      client.on('error', () => undefined);
      let victims = 0;
      for (let round = 0; round < deadlockTries / 2; round += 1) {
        const text = [10, 5, 1].map((id) => `UPDATE account SET note = note WHERE id = ${id}`);
        await client
          .query(`BEGIN; ${text.join('; SELECT pg_sleep(0.01); ')}; COMMIT`)
          .catch((error: pg.DatabaseError) => {
            assert.is(error.code, '40P01');
            victims += 1;
          });
        await client.query('ROLLBACK');
      }
      await client.end();
      writers -= 1;
      return victims;
    };
    let [asked, approved] = [0, 0];
    const approver = async () => {
      while (writers > 0 || asked < 8) {
        asked += 1;
        const session = await proposed('UPDATE account SET balance = balance + 1 WHERE id <= 10');
        const { status } = await approveSession(staging.service, session, patient);
        approved += status === 'approved' ? 1 : 0;
      }
    };
    const [first, second] = await Promise.all([writer(), writer(), approver()]);
    assert.equal([first, second, approved], [0, 0, asked]);
  };
  test(
    'production that takes rows in the opposite order is never the victim of a deadlock',
    opposite,
    { timeout: 60_000 + deadlockTries * 1_000 },
  );
});
