/** GET and PUT /policy, its history, and what the rules refuse at the proposal and the approval of a session. */
import { beforePolicy } from '../helpers/before-policy.ts';
import type { Sent } from '../helpers/http.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { documentOf } from '../helpers/ruled.ts';
import { assert, suite } from '../helpers/suite.ts';

const tokens = [
  testToken({ name: 'bot', role: 'author' }),
  testToken({ name: 'ann', role: 'reviewer' }),
  testToken({ name: 'root', role: 'operator' }),
  testToken({ name: 'shop-root', role: 'operator', projects: ['shop'] }),
];

const as = (name: string, json?: object, headers = {}): Sent => ({
  headers: { authorization: `Bearer ${name}`, ...headers },
  ...(json === undefined ? {} : { json }),
});

suite('rest: policy', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest({ tokens });
    await rest.database.query(`
      CREATE SCHEMA billing; CREATE TABLE billing.invoices (id int PRIMARY KEY, total numeric);
      CREATE TABLE logs (id int, day int, text text, PRIMARY KEY (id, day)) PARTITION BY LIST (day);
      CREATE TABLE logs_1 PARTITION OF logs FOR VALUES IN (1);
      CREATE TABLE items (id int PRIMARY KEY, price numeric, stock int);
      INSERT INTO items SELECT g, g, g FROM generate_series(1, 9) g;
      CREATE TABLE parts (id int PRIMARY KEY, item int REFERENCES items ON DELETE CASCADE); INSERT INTO parts VALUES (1, 8);
      CREATE TABLE "Items" (id int PRIMARY KEY); CREATE TABLE base (id int PRIMARY KEY); CREATE TABLE child (extra int) INHERITS (base);
      CREATE VIEW cheap AS SELECT * FROM products WHERE price < 10`);
  });
  test.after(() => rest.stop());

  const put = (rules: readonly object[], etag = '*', name = 'root') =>
    rest.call('PUT', '/policy', as(name, { document: { rules } }, { 'if-match': etag }));
  const set = async (...rules: object[]) => {
    const { status, body } = await put(documentOf(rules).rules);
    assert.is(status, 200, JSON.stringify(body));
  };
  const session = async (...statements: string[]) => {
    const { body } = await rest.call('POST', '/sessions', as('bot', {}));
    await beforePolicy(rest.database, async () => {
      for (const statement of statements) await rest.write(body.session_id, statement);
    });
    return body.session_id as string;
  };
  const propose = (id: string) => rest.call('POST', `/sessions/${id}/propose`, as('bot', {}));
  const approve = (id: string) => rest.call('POST', `/sessions/${id}/approve`, as('ann', {}));
  const faults = async (...rules: object[]) => (await put(documentOf(rules).rules)).body.faults;

  const cheaper = 'UPDATE items SET price = price + 1 WHERE id = 1';
  const fewer = 'UPDATE items SET stock = stock + 1 WHERE id = 1';
  const mug = 'DELETE FROM items WHERE id = 9';

  test('none was ever set: nothing is refused, and no body has more', async () => {
    const { body, headers } = await rest.call('GET', '/policy', as('bot'));
    assert.equal([body.version, body.document, headers['etag']], ['0', { rules: [] }, '"0"']);
    const id = await session(fewer);
    const before = (await rest.call('GET', `/sessions/${id}`, as('bot'))).body;
    const proposed = (await propose(id)).body;
    const known = [...Object.keys(before), 'proposed_at', 'proposed_as'].sort();
    assert.equal(Object.keys(proposed).sort(), known);
    assert.equal((await rest.call('GET', `/sessions/${id}`, as('bot'))).body, proposed);
    const shown = (await rest.call('GET', `/sessions/${id}/policy`, as('bot'))).body;
    assert.equal(shown, { session_id: id, id, version: '0', verdicts: [] });
    const approved = await approve(id);
    assert.equal(
      [approved.status, approved.body.status, approved.body.approvals],
      [200, 'approved', undefined],
    );
    const [sealed] = await rest.database.query('SELECT voters FROM stage.approval');
    assert.is(sealed?.['voters'], null);
  });

  test('a version follows the one that was seen', async () => {
    const rules = [{ name: 'small', max_rows: 5 }];
    assert.is((await put(rules, '"7"')).status, 412);
    assert.is((await rest.call('PUT', '/policy', as('root', { document: { rules } }))).status, 400);
    const first = await put(rules, '"0"');
    assert.equal([first.status, first.body.version, first.headers['etag']], [200, '1', '"1"']);
    const late = await put(rules, '"0"');
    assert.equal([late.status, late.body.error, late.body.version], [412, 'policy_changed', '1']);
    assert.is((await put([], '"1"')).body.version, '2');
    const { body } = await rest.call('GET', '/policy/history', as('ann'));
    assert.equal(
      body.versions.map((one: { version: string; set_by: string }) => [one.version, one.set_by]),
      [
        ['2', 'root'],
        ['1', 'root'],
      ],
    );
    const several = await Promise.all([1, 2, 3, 4].map(() => put(rules, '"2"')));
    assert.equal(several.map(({ status }) => status).sort(), [200, 412, 412, 412]);
  });

  test('nobody but an operator of all projects sets it, and no version changes', async () => {
    for (const name of ['bot', 'ann', 'shop-root'])
      assert.is((await put([], '*', name)).status, 403);
    for (const change of [
      'DELETE FROM stage.policy',
      `UPDATE stage.policy SET document = '{}'`,
      'TRUNCATE stage.policy',
      'DELETE FROM stage.policy_head',
    ]) {
      const refusal = await rest.database.query(change).then(() => null, String);
      assert.match(refusal ?? '', /append-only/, change);
    }
  });

  test('names that mean nothing are refused with the nearest', async () => {
    assert.equal(await faults({ tables: ['prodcts'], max_rows: 1 }), [
      'rules[0].tables[0]: there is no table "prodcts"; did you mean "products"?',
    ]);
    assert.equal(await faults({ tables: ['items'], deny_columns: ['pric'] }), [
      'rules[0].deny_columns[0]: there is no column "pric"; did you mean "price"?',
    ]);
    assert.equal(await faults({ approvals: { count: 1, from: ['anne', 'bot'] } }), [
      'rules[0].approvals.from[0]: no token has the name "anne"; did you mean "ann"?',
      'rules[0].approvals.from[1]: no token of "bot" may approve',
    ]);
    assert.equal(await faults({ projects: ['shp'], max_rows: 1 }), [
      'rules[0].projects[0]: there is no project "shp"; did you mean "shop"?',
    ]);
    assert.equal(await faults({ tables: ['cheap', 'logs_1'], max_rows: 1 }), [
      'rules[0].tables[0]: "cheap" is a view: name the table that stores its rows',
      'rules[0].tables[1]: "logs_1" is a partition: name the table that stores its rows',
    ]);
    assert.is(
      await faults({ tables: ['billing.*', 'public.products', 'logs'], max_rows: 1 }),
      undefined,
    );
  });

  test('deny: at the proposal, and at the approval of what was proposed before', async () => {
    await set();
    const id = await session(mug);
    assert.is((await propose(id)).status, 200);
    await set({ tables: ['items'], deny: ['delete'] });
    const late = await approve(id);
    assert.equal([late.status, late.body.error], [409, 'policy_refused']);
    const again = await propose(await session(mug));
    assert.equal([again.status, again.body.error], [409, 'policy_refused']);
    assert.equal(again.body.violations, [
      {
        rule: 'r0',
        limit: 'deny',
        table: 'items',
        holds: false,
        says: 'no delete in items: the session has 1',
      },
    ]);
    assert.match(again.body.hint, /stage unstage/);
    assert.is((await propose(await session(fewer))).status, 200);
    // a row that is deleted and inserted again fires the triggers of both
    const both = [mug, 'INSERT INTO items VALUES (9, 1, 1)'];
    assert.is((await propose(await session(...both))).status, 409);
  });

  test('deny: what a foreign key does counts, and a table of a similar name does not', async () => {
    await set({ tables: ['parts'], deny: ['delete'] });
    const cascaded = await propose(await session('DELETE FROM items WHERE id = 8'));
    assert.match(cascaded.body.message, /no delete in parts: the session has 1/);
    await set({ tables: ['items'], deny: ['insert'] });
    assert.is((await propose(await session('INSERT INTO "Items" VALUES (1)'))).status, 200);
    await set({ tables: ['Items'], deny: ['insert'] });
    assert.is((await propose(await session('INSERT INTO "Items" VALUES (2)'))).status, 409);
    assert.is((await propose(await session('INSERT INTO items VALUES (10, 1, 1)'))).status, 200);
  });

  test('a rule holds for partitions and under a new name', async () => {
    await set({ tables: ['logs'], deny: ['insert'] });
    const logged = await session(`INSERT INTO logs VALUES (1, 1, 'x')`);
    assert.is((await propose(logged)).status, 409);
    await set({ tables: ['base'], deny: ['insert'] });
    assert.is((await propose(await session('INSERT INTO child VALUES (1, 1)'))).status, 409);
    await set({ tables: ['items'], deny: ['update'] });
    await rest.database.query('ALTER TABLE items RENAME TO goods');
    const renamed = await session('UPDATE goods SET stock = 1 WHERE id = 1');
    assert.is((await propose(renamed)).status, 409);
    await rest.database.query('ALTER TABLE goods RENAME TO items');
  });

  test('deny_columns: an update of the column, not of others', async () => {
    await set({ tables: ['items'], deny_columns: ['price'] });
    assert.is((await propose(await session(fewer))).status, 200);
    const refused = await propose(await session(fewer, cheaper));
    assert.is(refused.body.violations[0].says, 'no update of items.price: the session updates it');
    assert.is(
      (
        await propose(
          await session(cheaper, 'UPDATE items SET price = price - 1, stock = 0 WHERE id = 1'),
        )
      ).status,
      200,
    );
  });

  test('max_rows: rows that are changed, each once', async () => {
    await set({ tables: ['items'], max_rows: 1 });
    assert.is((await propose(await session(fewer, cheaper))).status, 200);
    const refused = await propose(await session('UPDATE items SET stock = stock + 1'));
    assert.match(
      refused.body.message,
      /rule "r0": at most 1 rows of items: the session changes \d+/,
    );
  });

  test('a rule of a project holds there only', async () => {
    await set({ projects: ['shop'], deny: ['update'] });
    assert.is((await propose(await session(fewer))).status, 200);
  });

  test('expire: an old proposal is proposed again', async () => {
    await set();
    const id = await session(fewer);
    await propose(id);
    await rest.database.query(
      `UPDATE stage.session SET proposed_at = proposed_at - interval '61 minutes' WHERE id = '${id.slice(5)}'`,
    );
    await set({ expire: '1h' });
    const old = await approve(id);
    assert.equal([old.status, old.body.error], [409, 'proposal_expired']);
    await rest.call('POST', `/sessions/${id}/reopen`, as('ann', { message: 'again' }));
    await propose(id);
    assert.is((await approve(id)).status, 200);
  });

  test('windows: outside of them the next opening is named', async () => {
    await set();
    const id = await session(cheaper);
    await propose(id);
    const [clock] = await rest.database.query(
      `SELECT lower(to_char(now() AT TIME ZONE 'UTC' + interval '2 days', 'dy')) AS day`,
    );
    const day = String(clock?.['day']);
    await set({ windows: [{ days: [day], from: '00:00', to: '24:00', zone: 'UTC' }] });
    const closed = await approve(id);
    assert.equal([closed.status, closed.body.error], [409, 'outside_window']);
    const opensAt = new Date(closed.body.opens_at);
    assert.is(opensAt.toUTCString().slice(0, 3).toLowerCase(), day);
    assert.is(opensAt.getTime() % 86_400_000, 0);
    const shown = (await rest.call('GET', `/sessions/${id}/policy`, as('bot'))).body;
    assert.equal(
      [shown.verdicts[0].holds, shown.verdicts[0].opens_at],
      [false, closed.body.opens_at],
    );
    await set({ windows: [{ from: '00:00', to: '24:00', zone: 'UTC' }] });
    assert.is((await approve(id)).status, 200);
  });
});
