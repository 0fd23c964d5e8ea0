/** Approval by the policy: of what its rules describe, without a flag, once; never of what a person has to see. */

import pg from 'pg';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { createRole } from '../helpers/roles.ts';
import type { Ruled } from '../helpers/ruled.ts';
import { as, autoApproval, startRuled } from '../helpers/ruled.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

const small = { tables: ['items'], auto_approve: { max_rows: 2, operations: ['update'] } };

suite('review: approval by the policy', (test) => {
  let ruled: Ruled;
  test.before(async () => {
    ruled = await startRuled();
    await ruled.rest.database.query(`CREATE TABLE items (id int PRIMARY KEY, stock int, price int);
      INSERT INTO items SELECT g, 0, 0 FROM generate_series(1, 98) g;
      INSERT INTO items VALUES (99, 1000, 1000), (100, -1000, -1000);
      CREATE TABLE parts (id int PRIMARY KEY, item int REFERENCES items ON DELETE CASCADE);
      CREATE TABLE watched (id int PRIMARY KEY, n int); INSERT INTO watched SELECT g, g * 1000 FROM generate_series(0, 100) g;
      CREATE TABLE log (n int);
      CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS
        $$ BEGIN INSERT INTO log VALUES (NEW.n); RETURN NULL; END $$`);
  });
  test.after(() => ruled.rest.stop());

  const one = 'UPDATE items SET stock = stock + 1 WHERE id = 1';
  const oidOf = async (table: string) =>
    (await ruled.rest.database.query(`SELECT '${table}'::regclass::oid::int AS oid`))[0]?.['oid'];
  const run = async (rules = ruled.rules) =>
    (await autoApproval(ruled.rest.db, rules)()).map(
      ({ approved, hindrance }) => approved?.status ?? hindrance,
    );
  /** Returns the end of a new session with these statements. */
  const fate = async (...statements: string[]) => {
    const id = await ruled.proposed(...statements);
    const said = await run();
    const { status } = await ruled.show(id);
    if (status === 'proposed')
      await ruled.rest.call('POST', `/sessions/${id}/reject`, as('ann', {}));
    return [status, said[0]];
  };

  test('within the limits it is approved once, by two daemons at once, in the name of the version', async () => {
    await ruled.set(small);
    const id = await ruled.proposed(one);
    const both = await Promise.all([run(), run()]);
    assert.equal(both.flat(), ['approved']);
    const { version } = (await ruled.rest.call('GET', '/policy', as('bot'))).body;
    const { status, approved_by, approved_as } = await ruled.show(id);
    assert.equal([status, approved_by, approved_as], ['approved', `policy ${version}`, undefined]);
    const [sealed] = await ruled.rest.database.query(
      `SELECT grounds, approved_by FROM stage.approval WHERE session = '${id.slice(5)}'`,
    );
    assert.equal(sealed, {
      grounds: { policy: Number(version) },
      approved_by: `policy ${version}`,
    });
    assert.is((await ruled.rest.call('GET', '/audit/verify', as('ann'))).body.ok, true);
    assert.equal(await ruled.events(id), ['created', 'proposed', 'approved']);
  });

  test('what is found of a session that is decided meanwhile is no outcome', async () => {
    await ruled.set({ auto_approve: small.auto_approve });
    const id = await ruled.proposed(one);
    const { url, query } = ruled.rest.database;
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query('BEGIN; LOCK TABLE stage.event');
    const considered = run();
    await until(
      async () =>
        (await query('SELECT FROM pg_locks WHERE NOT granted AND database IS NOT NULL')).length > 0,
    );
    // as another daemon that rejects it
    const uuid = `'${id.slice(5)}'`;
    await other.query(`DELETE FROM stage_data.shadow_${await oidOf('items')} WHERE _stage_session = ${uuid};
      UPDATE stage.session SET status = 'rejected', rejected_at = now() WHERE id = ${uuid}; COMMIT`);
    await other.end();
    assert.equal(await considered, []);
    assert.is((await ruled.show(id)).status, 'rejected');
  });

  test('one row more, another operation, another table: people decide', async () => {
    await ruled.set(small);
    assert.equal(await fate('UPDATE items SET stock = 7 WHERE id < 4'), [
      'proposed',
      'the rule "r0" approves at most 2 rows: the session changes 3',
    ]);
    assert.equal(await fate('INSERT INTO items VALUES (101, 1, 1)'), [
      'proposed',
      'the rule "r0" approves no insert in items',
    ]);
    assert.equal(await fate(one, 'UPDATE watched SET n = 1 WHERE id = 1'), [
      'proposed',
      'no rule approves changes of watched',
    ]);
    // each rule that holds counts
    await ruled.set(small, { auto_approve: { max_rows: 1, operations: ['update'] } });
    assert.equal(await fate('UPDATE items SET stock = 8 WHERE id < 3'), [
      'proposed',
      'the rule "r1" approves at most 1 rows: the session changes 2',
    ]);
  });

  test('a flag that the rule does not allow: people decide', async () => {
    const rule = { tables: ['items'], auto_approve: { max_rows: 2, operations: ['delete'] } };
    await ruled.set(rule);
    assert.equal(await fate('DELETE FROM items WHERE id = 90'), [
      'proposed',
      'its brief has the flag deletes of items',
    ]);
    await ruled.set({ ...rule, auto_approve: { ...rule.auto_approve, flags: ['deletes'] } });
    assert.equal(await fate('DELETE FROM items WHERE id = 90'), ['approved', 'approved']);
  });

  test('a session is considered once for each version; a window that opens, and a new version, count', async () => {
    const [clock] = await ruled.rest.database.query(
      `SELECT lower(to_char(now() AT TIME ZONE 'UTC' + interval '2 days', 'dy')) AS day`,
    );
    const windows = [{ days: [clock?.['day']], from: '00:00', to: '24:00', zone: 'UTC' }];
    await ruled.set({ ...small, windows });
    const id = await ruled.proposed(one);
    const consider = autoApproval(ruled.rest.db, ruled.rules);
    assert.equal(await consider(), []);
    await ruled.set({ ...small, auto_approve: { max_rows: 1, operations: ['insert'] } });
    assert.is((await consider()).length, 1);
    assert.is((await consider()).length, 0);
    await ruled.set(small);
    assert.equal(
      (await consider()).map(({ approved }) => approved?.status),
      ['approved'],
    );
    assert.is((await ruled.show(id)).status, 'approved');
  });

  test('what a trigger does beyond the rows: people decide', async () => {
    await ruled.rest.database.query(
      'CREATE TRIGGER note AFTER UPDATE ON watched FOR EACH ROW EXECUTE FUNCTION note()',
    );
    const watched = { tables: ['watched'], auto_approve: { max_rows: 2, operations: ['update'] } };
    const change = 'UPDATE watched SET n = n + 1 WHERE id = 1';
    await ruled.set(watched);
    assert.equal(await fate(change), ['proposed', 'its brief has the flag triggers of watched']);
    const rehearsed = {
      ...watched.auto_approve,
      flags: ['triggers', 'new_table_for_author'],
      rehearsed: true,
    };
    await ruled.set({ ...watched, auto_approve: rehearsed });
    assert.equal(await fate(change), ['proposed', 'its rehearsal changes other rows, too']);
    await ruled.rest.database.query(`CREATE OR REPLACE FUNCTION note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
      $$ BEGIN RETURN NULL; END $$`);
    assert.equal(await fate(change), ['approved', 'approved']);
    // one that gives the row another value than was staged
    await ruled.rest.database.query(`DROP TRIGGER note ON watched;
      CREATE OR REPLACE FUNCTION note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN NEW.n := 77; RETURN NEW; END $$;
      CREATE TRIGGER note BEFORE UPDATE ON watched FOR EACH ROW EXECUTE FUNCTION note()`);
    assert.equal(await fate(change), [
      'proposed',
      'its rehearsal gives other values than were staged',
    ]);
  });

  test('nothing staged, and tables that the author may not read: people decide', async () => {
    await ruled.set({
      auto_approve: {
        max_rows: 9,
        operations: ['delete'],
        flags: ['deletes', 'carried_along', 'share_of_table', 'new_table_for_author'],
      },
    });
    assert.equal(await fate(), ['proposed', 'nothing is staged that could be counted']);
    const role = await createRole(ruled.rest.database);
    await ruled.rest.database.query(
      `GRANT SELECT, UPDATE, DELETE ON items TO ${role.name}; INSERT INTO parts VALUES (1, 80), (2, 81)`,
    );
    const carried = async (name?: string) => {
      const id = await ruled.staged();
      await ruled.rest.write(
        id,
        `DELETE FROM items WHERE id = ${name === undefined ? 80 : 81}`,
        [],
        name,
      );
      await ruled.rest.call('POST', `/sessions/${id}/propose`, as('bot', {}));
      const [said] = await run();
      const { status } = await ruled.show(id);
      if (status === 'proposed')
        await ruled.rest.call('POST', `/sessions/${id}/reject`, as('ann', {}));
      return [status, said];
    };
    assert.equal(await carried(role.name), [
      'proposed',
      'it changes a table that its author may not read',
    ]);
    assert.equal(await carried(), ['approved', 'approved']);
    await role.drop();
  });

  test('a revert, and both parts of what was split: people decide', async () => {
    await ruled.set({ auto_approve: { max_rows: 9, operations: ['insert', 'update', 'delete'] } });
    const id = await ruled.staged('UPDATE items SET price = 5 WHERE id IN (10, 11)');
    const split = await ruled.rest.call(
      'POST',
      `/sessions/${id}/split`,
      as('bot', { only: [{ table: 'items', row_id: 10 }] }),
    );
    assert.is(split.status, 201, JSON.stringify(split.body));
    for (const part of [id, split.body.session_id])
      await ruled.rest.call('POST', `/sessions/${part}/propose`, as('bot', {}));
    assert.equal(await run(), ['it reverts an approval, or was split']);
    assert.equal(
      [(await ruled.show(id)).status, (await ruled.show(split.body.session_id)).status],
      ['proposed', 'proposed'],
    );
    const whole = await ruled.proposed(one);
    await run();
    const revert = await ruled.rest.call('POST', `/sessions/${whole}/revert`, as('cat', {}));
    await ruled.rest.call('POST', `/sessions/${revert.body.session_id}/propose`, as('cat', {}));
    await run();
    assert.is((await ruled.show(revert.body.session_id)).status, 'proposed');
  });

  test('four eyes, votes, tables that the author may not read: people decide', async () => {
    const open = (await ruled.rest.call('GET', '/sessions?status=proposed', as('cat'))).body
      .sessions;
    for (const { id } of open) await ruled.rest.call('DELETE', `/sessions/${id}`, as('cat'));
    await ruled.set(small, { four_eyes: true });
    assert.equal(await fate(one), ['proposed', 'people agree']);
    await ruled.set(small, { approvals: { count: 1 } });
    assert.equal(await fate(one), ['proposed', 'people agree']);
    await ruled.set(small);
    const id = await ruled.proposed(one);
    assert.equal(await run({ ...ruled.rules, fourEyes: true }), []);
    const { version } = (await ruled.rest.call('GET', '/policy', as('bot'))).body;
    const by = { approvedBy: 'x', digest: null };
    // a version that does not count any more
    const old = await approveSession(ruled.rest.db, id, {
      ...by,
      byPolicy: Number(version) - 1,
    }).catch((error) => error.code);
    assert.is(old, 'policy_refused');
    assert.equal(await run(), ['approved']);
  });

  test('contradictions are refused with their place', async () => {
    const faults = async (rule: object) => (await ruled.put(rule)).body.faults;
    const auto = { max_rows: 5, operations: ['delete'], flags: ['triggers'] };
    assert.equal(
      await faults({
        tables: ['items'],
        deny: ['delete'],
        max_rows: 1,
        four_eyes: true,
        auto_approve: auto,
      }),
      [
        'rules[0].auto_approve: the rule demands that people agree',
        'rules[0].auto_approve.max_rows: the rule allows 1 rows only',
        'rules[0].auto_approve.operations: the rule denies every delete',
        'rules[0].auto_approve.flags: triggers needs rehearsed: true',
      ],
    );
    assert.equal(await faults({ auto_approve: { ...auto, flags: ['trigger'], rehersed: true } }), [
      'rules[0].auto_approve.flags[0]: must be one of beyond_rule, new_values, duplicates, carried_along, deletes, keys_moved, share_of_table, sensitive_column, triggers, overlap, further_changes, no_where, beyond_production, new_table_for_author, size_for_author, time_of_day, conflict, never_rehearsed; did you mean triggers?',
      'rules[0].auto_approve.rehersed: there is no such key; did you mean rehearsed?',
    ]);
    const strict = await startRuled({ fourEyes: true });
    const refused = await strict.put({ auto_approve: { max_rows: 1, operations: ['update'] } });
    await strict.rest.stop();
    assert.equal(refused.body.faults, [
      'rules[0].auto_approve: the configuration demands four eyes',
    ]);
  });
});
