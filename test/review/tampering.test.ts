/**
 * All random tamperings are found, and no honest chain is suspected.
 * STAGE_TEST_TAMPERINGS (60) and STAGE_TEST_CLEAN_RUNS (10) are the numbers of runs; STAGE_TEST_SEED repeats a run.
 */
import pg from 'pg';
import type { Database } from '../../src/db/database.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { verifyAudit } from '../../src/review/verify-audit.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import { createRandom } from '../helpers/random.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, suite } from '../helpers/suite.ts';
import { randomTampering } from '../helpers/tampering.ts';

const tamperings = drawn(25, 'TAMPERINGS');
const cleanRuns = drawn(4, 'CLEAN_RUNS');
const seed = firstSeed();

const schema = `CREATE TABLE t (id int PRIMARY KEY, v text, n numeric, j jsonb, at timestamptz, a int[])`;

/** Characters that JSON escapes, and some that it may escape. */
const odd = '"\\/\b\f\n\r\t\u0001\u001f\u007f\u0085\u2028 é\u{1F600}';

const values = [
  `'v', 1.10, '{"b": 1, "a": [1.0, null]}', now(), '{1,2}'`,
  `U&'\\00E9e\\0301', 'NaN', 'null', 'infinity', NULL`,
  `NULL, 123456789012345678901234567890.5, '"\\u0001"', '1900-01-01', '[2:3]={1,2}'`,
  `E'line\\nline "quoted"', -0.0, '{}', NULL, '{}'`,
];

suite('audit: tampering', (test) => {
  let staging: StagingDatabase;
  let admin: pg.Client;
  const random = createRandom(seed);
  test.before(async () => {
    staging = await createStagingDatabase(schema);
    admin = new pg.Client({
      connectionString: staging.database.url,
      types: { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig,
    });
    await admin.connect();
    for (let count = 0; count < 6; count += 1) await approveSomething();
  });
  test.after(async () => {
    await admin.end();
    await staging.close();
  });

  async function approveSomething(): Promise<void> {
    const session = await staging.open();
    const first = random.below(1_000_000) * 10;
    const rows = values
      .slice(0, 1 + random.below(4))
      .map((row, index) => `(${first + index}, ${row})`);
    const steps = [
      `INSERT INTO t VALUES ${rows.join(', ')} ON CONFLICT DO NOTHING`,
      `UPDATE t SET v = v || 'x', n = n + 1 WHERE id % 3 = ${random.below(3)}`,
      `DELETE FROM t WHERE id % 11 = ${random.below(11)}`,
    ];
    const inserted = steps[0]?.replace(' ON CONFLICT DO NOTHING', '') ?? '';
    const chosen = [inserted, ...steps.slice(1).filter(() => random.chance(0.5))];
    await staging.stage(session, chosen.join(';'));
    await proposeSession(staging.service, session);
    const by = {
      approvedBy: random.pick(['kim', odd, null]),
      approvedAs: random.pick(['k', null]),
    };
    await approveSession(staging.service, session, { ...by, digest: null });
  }

  /** A view of the database from the administrator's own transaction. */
  const inside: Database = {
    query: async (text, parameters = []) => (await admin.query(text, [...parameters])).rows,
    transaction: async (work) => work(inside),
    close: async () => undefined,
  };

  test(
    `of ${tamperings} random tamperings every one is found (seed ${seed})`,
    async () => {
      const { head, entries, approvals } = await verifyAudit(staging.service);
      const found = new Map<string, number>();
      for (let count = 0; count < tamperings; count += 1) {
        const { kind, sql, consistent } = randomTampering(random, { entries, approvals });
        await admin.query(`BEGIN; SET LOCAL session_replication_role = replica`);
        await admin.query(sql);
        await admin.query('SAVEPOINT verify');
        const plain = await verifyAudit(inside);
        await admin.query('ROLLBACK TO verify');
        if (consistent) assert.ok(plain.ok, `${kind}: ${sql}`);
        else assert.is(plain.ok, false, `${kind}: ${sql}`);
        const checked = await verifyAudit(inside, head);
        assert.is(checked.ok, false, `${kind}: ${sql}`);
        assert.ok(checked.firstBad);
        await admin.query('ROLLBACK');
        found.set(kind, (found.get(kind) ?? 0) + 1);
      }
      if (tamperings >= 60) assert.is(found.size, 8, JSON.stringify([...found]));
      assert.ok((await verifyAudit(staging.service, head)).ok, 'nothing of it is left');
    },
    { timeout: 60_000 + tamperings * 1_000 },
  );

  test(
    `of ${cleanRuns} honest chains none is suspected`,
    async () => {
      const heads: string[] = [(await verifyAudit(staging.service)).head];
      for (let count = 0; count < cleanRuns; count += 1) {
        await approveSomething();
        const verdict = await verifyAudit(staging.service, random.pick(heads));
        assert.equal(verdict.firstBad, null, JSON.stringify(verdict));
        heads.push(verdict.head);
      }
    },
    { timeout: 60_000 + cleanRuns * 2_000 },
  );

  test('an empty chain passes through its beginning, and through nothing else', async () => {
    const empty = await createStagingDatabase(schema);
    try {
      const { head, ok } = await verifyAudit(empty.service);
      assert.ok(ok);
      assert.ok((await verifyAudit(empty.service, head)).ok);
      const other = await verifyAudit(empty.service, `sha256:${'0'.repeat(64)}`);
      assert.is(other.firstBad?.id, 'checkpoint');
    } finally {
      await empty.close();
    }
  });
});
