/** Daemons follow the rules beside many sessions, large ones, and one that breaks: others are served, and rows are not counted again. */

import type { Database } from '../../src/db/database.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { applyDue } from '../../src/review/decisions/scheduled.ts';
import type { Ruled } from '../helpers/ruled.ts';
import { autoApproval, policyExpiry, startRuled } from '../helpers/ruled.ts';
import { assert, suite } from '../helpers/suite.ts';

const alone = { tables: ['items'], auto_approve: { max_rows: 1, operations: ['update'] } };
const expiring = [
  { tables: ['parts'], expire: '30d' },
  { tables: ['items'], expire: '1m' },
];

suite('review: upkeep by the rules', (test) => {
  let ruled: Ruled;
  test.before(async () => {
    ruled = await startRuled();
    await ruled.rest.database.query(`CREATE TABLE items (id int PRIMARY KEY, stock int);
      INSERT INTO items SELECT g, CASE g WHEN 100 THEN 1000 ELSE 0 END FROM generate_series(1, 100) g;
      CREATE TABLE parts (id int PRIMARY KEY, n int); INSERT INTO parts SELECT g, 0 FROM generate_series(1, 100) g;
      CREATE FUNCTION break() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$`);
  });
  test.after(() => ruled.rest.stop());

  /** Sets the rules, and removes the proposals of other tests. */
  const begin = async (...rules: object[]) => {
    await ruled.rest.database.query(
      `DROP TRIGGER IF EXISTS break ON stage.session; DELETE FROM stage.session WHERE status = 'proposed'`,
    );
    await ruled.set(...rules);
  };
  const small = (id = 1) => ruled.proposed(`UPDATE items SET stock = stock + 1 WHERE id = ${id}`);
  const large = () => ruled.proposed('UPDATE parts SET n = n + 1');
  const hourAhead = () => new Date(Date.now() + 3_600_000).toISOString();
  const status = async (id: string) => (await ruled.show(id)).status;
  /** Adds a hundred proposals like another one, that much later. */
  const hundredLike = (id: string, later: string) =>
    ruled.rest.database.query(`INSERT INTO stage.session SELECT (jsonb_populate_record(s,
        jsonb_build_object('id', gen_random_uuid(), 'proposed_at', s.proposed_at + interval '${later}'))).*
      FROM stage.session s, generate_series(1, 100) WHERE s.id = '${id.slice(5)}'`);
  /** Makes every decision on a session fail in the database. */
  const breakSession = (id: string) =>
    ruled.rest.database.query(`CREATE TRIGGER break BEFORE UPDATE ON stage.session FOR EACH ROW
      WHEN (OLD.id = '${id.slice(5)}') EXECUTE FUNCTION break()`);
  /** A database that counts how often staged rows were counted. */
  const counting = () => {
    let counted = 0;
    const seen = (query: Database['query']): Database['query'] =>
      ((text, values) => {
        if (text.includes('policy_facts')) counted += 1;
        return query(text, values);
      }) as Database['query'];
    const { db } = ruled.rest;
    const observed: Database = {
      ...db,
      query: seen(db.query),
      transaction: (work, isolation, isDone) =>
        db.transaction((tx) => work({ query: seen(tx.query) }), isolation, isDone),
    };
    return { db: observed, counted: () => counted };
  };

  test('rows of sessions that no rule approves, or lets expire yet, are not counted', async () => {
    await begin(alone, ...expiring);
    const id = await large();
    await ruled.age(id, '1 hour');
    const { db, counted } = counting();
    const tasks = [autoApproval(db, ruled.rules), policyExpiry(db, ruled.rules)];
    for (const task of [...tasks, ...tasks]) assert.equal(await task(), []);
    assert.is(counted(), 0);
  });

  test('rows of sessions whose windows are closed are not counted', async () => {
    const [clock] = await ruled.rest.database.query(
      `SELECT lower(to_char(now() AT TIME ZONE 'UTC' + interval '2 days', 'dy')) AS day`,
    );
    const windows = [{ days: [clock?.['day']], from: '00:00', to: '24:00', zone: 'UTC' }];
    await begin({ ...alone, windows });
    await small();
    const { db, counted } = counting();
    assert.equal(await autoApproval(db, ruled.rules)(), []);
    assert.is(counted(), 0);
  });

  test('a hundred proposals for people do not keep one from its approval', async () => {
    await begin(alone, { auto_approve: { max_rows: 2, operations: ['update'] } });
    const id = await small();
    await hundredLike(await large(), '1 second');
    await hundredLike(id, '-1 day');
    // those are approved by people
    await ruled.rest.database.query(
      `UPDATE stage.session SET reverts = id WHERE proposed_at < now() - interval '1 hour'`,
    );
    const run = autoApproval(ruled.rest.db, ruled.rules);
    await run();
    await run();
    assert.is(await status(id), 'approved');
  });

  test('a hundred older proposals do not keep one from its expiry', async () => {
    await begin(...expiring);
    const id = await small();
    const old = await large();
    for (const one of [id, old]) await ruled.age(one, '1 hour');
    await hundredLike(old, '-1 hour');
    await policyExpiry(ruled.rest.db, ruled.rules)();
    assert.equal([await status(id), await status(old)], ['rejected', 'proposed']);
  });

  test('a session that cannot be decided on does not keep the others', async () => {
    await begin();
    const due = [await small(1), await small(2)] as const;
    for (const id of due) await ruled.approve(id, 'ann', { at: hourAhead() });
    await ruled.age(due[0], '3 hours');
    await ruled.age(due[1], '2 hours');
    await breakSession(due[0]);
    const [broken, applied] = await applyDue(ruled.rest.db, ruled.rules);
    assert.match(String(broken?.error), /broken/);
    assert.is(applied?.applied?.status, 'approved');
    assert.is((await ruled.show(due[0])).scheduled_as, 'ann');

    await begin(alone);
    const auto = [await small(3), await small(4)] as const;
    await breakSession(auto[0]);
    const run = autoApproval(ruled.rest.db, ruled.rules);
    const outcomes = await run();
    assert.equal(
      outcomes.map(({ hindrance, approved, retry }) => retry ?? hindrance ?? approved?.status),
      ['broken', 'approved'],
    );
    assert.equal(await run(), []);

    await begin(...expiring);
    const old = [await small(5), await small(6)] as const;
    for (const id of old) await ruled.age(id, '1 hour');
    await breakSession(old[0]);
    const expired = await policyExpiry(ruled.rest.db, ruled.rules)();
    assert.equal(
      expired.map(({ rejected, error }) => rejected?.status ?? (error as Error).message),
      ['broken', 'rejected'],
    );
  });

  test('the policy does not approve what somebody has approved for a later time', async () => {
    await begin(alone);
    const id = await small();
    assert.is((await ruled.approve(id, 'ann', { at: hourAhead() })).status, 202);
    const { version } = (
      await ruled.rest.call('GET', '/policy', {
        headers: { authorization: 'Bearer bot' },
      })
    ).body;
    const by = { approvedBy: 'policy', digest: null, byPolicy: Number(version) };
    const code = await approveSession(ruled.rest.db, id, by).catch((error) => error.code);
    assert.is(code, 'policy_refused');
    assert.equal(await autoApproval(ruled.rest.db, ruled.rules)(), []);
  });
});
