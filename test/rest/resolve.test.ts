/** Resolve over REST and from the command line: who may, what is returned, what a request may contain. */
import { resolvedSession } from '../../src/rest/schemas/resolve.ts';
import { createShell } from '../cli/stage.ts';
import type { Sent } from '../helpers/http.ts';
import { brokenInvariants } from '../helpers/invariants.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';

const tokens = [
  testToken({ name: 'ben', role: 'author' }),
  testToken({ name: 'bot', role: 'agent' }),
  testToken({ name: 'ann', role: 'reviewer' }),
  testToken({ name: 'root', role: 'operator' }),
];

const as = (name: string, json?: object): Sent => ({
  headers: { authorization: `Bearer ${name}` },
  ...(json === undefined ? {} : { json }),
});

const role = 'stage_test_resolver';

suite('rest: resolve', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest({ tokens, fourEyes: true });
    await rest.database.query(
      `CREATE ROLE ${role} LOGIN PASSWORD '${role}'; GRANT SELECT, UPDATE ON products TO ${role}`,
    );
  });
  test.after(async () => {
    await rest.database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    await rest.stop();
  });

  const post = (path: string, name: string, json = {}) => rest.call('POST', path, as(name, json));
  const get = async (path: string) => (await rest.call('GET', path, as('ann'))).body;

  /** The session and production both change the price of a product; production changes its stock, too. */
  async function drifted(product: number): Promise<string> {
    const { id } = (await post('/sessions', 'ben')).body;
    await rest.write(id, `UPDATE products SET price = 77.50 WHERE id = ${product}`, [], role);
    await rest.database.query(
      `UPDATE products SET price = 88.10, stock = stock + 1 WHERE id = ${product}`,
    );
    return id;
  }

  const price = (product: number, more = {}) => ({
    resolutions: [{ table: 'products', row_id: product, field: 'price', take: 'mine', ...more }],
  });

  test('settles a column; approval lands my price on its stock', async () => {
    const id = await drifted(1);
    const before = await get(`/sessions/${id}/diff`);
    const { stock } =
      (
        await rest.database.query<{ stock: number }>('SELECT stock FROM products WHERE id = 1')
      )[0] ?? {};
    const { status, body } = await post(
      `/sessions/${id}/resolve`,
      'ben',
      price(1, { production_current: 88.1 }),
    );
    assert.is(status, 200);
    assert.equal(resolvedSession.parse(body), body);
    assert.equal([body.edits, body.resolved.length, body.conflicts], [1, 1, []]);
    assert.is((await get(`/sessions/${id}/conflicts`)).total_count, 0);
    const after = await get(`/sessions/${id}/diff`);
    assert.is.not(after.digest, before.digest);
    const [change] = after.tables.products.changes;
    assert.equal([change.before.price, change.after.price], [88.1, 77.5]);
    assert.equal([change.before.stock, change.after.stock], [stock, stock]);
    const event = (await get(`/sessions/${id}/events`)).events.at(-1);
    assert.equal(
      [event.kind, event.by, event.body],
      [
        'resolved',
        'ben',
        { tables: [{ table: 'products', field: 'price', take: 'mine', rows: 1 }] },
      ],
    );
    await post(`/sessions/${id}/propose`, 'ben');
    const stale = await post(`/sessions/${id}/approve`, 'ann', { digest: before.digest });
    assert.is(stale.status, 412);
    assert.is((await post(`/sessions/${id}/approve`, 'ann')).status, 200);
    assert.equal(
      await rest.database.query('SELECT price::text, stock FROM products WHERE id = 1'),
      [{ price: '77.50', stock }],
    );
    const { entries } = await get(`/audit?project_id=default&session_id=${id}`);
    const audited = entries.map((entry: Record<string, { price: number; stock: number }>) =>
      [entry['old_data'], entry['new_data']].map((row) => [row?.price, row?.stock]),
    );
    // production's value when the conflict was resolved, not the one that the session once saw
    assert.equal(audited, [
      [
        [88.1, stock],
        [77.5, stock],
      ],
    ]);
    assert.equal(await brokenInvariants(rest.database), []);
  });

  test('is for those who write, in sessions that they may write in; who resolves does not approve', async () => {
    const id = await drifted(2);
    assert.is((await post(`/sessions/${id}/resolve`, 'ann', price(2))).status, 403);
    assert.is((await post(`/sessions/${id}/resolve`, 'bot', price(2))).status, 404);
    await post(`/sessions/${id}/propose`, 'ben');
    assert.match((await post(`/sessions/${id}/approve`, 'ann')).body.hint, /stage resolve/);
    const refused = await post(`/sessions/${id}/resolve`, 'root', price(2));
    assert.equal([refused.status, refused.body.error], [409, 'invalid_transition']);
    await post(`/sessions/${id}/reopen`, 'ann', { message: 'settle it' });
    assert.is((await post(`/sessions/${id}/resolve`, 'root', { all: 'mine' })).status, 200);
    await post(`/sessions/${id}/propose`, 'ben');
    assert.is((await post(`/sessions/${id}/approve`, 'root')).body.error, 'four_eyes_required');
    assert.is((await post(`/sessions/${id}/approve`, 'ann')).status, 200);
  });

  test('takes no body of another form, and nothing that is not so', async () => {
    const id = await drifted(3);
    const wrong: readonly object[] = [
      {},
      { all: 'ours' },
      { all: 'mine', resolutions: price(3).resolutions },
      { resolutions: [] },
      { resolutions: [{ table: 'products', row_id: 3 }] },
      { resolutions: [{ table: 'products', take: 'mine' }] },
      price(3, { take: 'both' }),
      price(3, { field: 7 }),
      price(3, { force: true }),
      { resolutions: Array.from({ length: 10_001 }, () => price(3).resolutions[0]) },
    ];
    for (const json of wrong)
      assert.is(
        (await post(`/sessions/${id}/resolve`, 'ben', json)).status,
        400,
        JSON.stringify(json).slice(0, 90),
      );
    for (const current of [88.11, '88.10', null, { price: 88.1 }]) {
      const { body } = await post(
        `/sessions/${id}/resolve`,
        'ben',
        price(3, { production_current: current }),
      );
      assert.equal([body.error, body.conflicts.length], ['conflict_detected', 2]);
    }
    for (const field of ['__proto__', 'name', "price'"])
      assert.is(
        (await post(`/sessions/${id}/resolve`, 'ben', price(3, { field }))).body.error,
        'no_such_conflict',
      );
    assert.is((await get(`/sessions/${id}`)).edits, 0);
    const many = { resolutions: Array.from({ length: 10_000 }, () => price(3).resolutions[0]) };
    assert.is((await post(`/sessions/${id}/resolve`, 'ben', many)).body.resolved.length, 1);
  });

  test('says of a table that has changed why nothing is settled, whatever side is named', async () => {
    await rest.database.query(
      `CREATE TABLE lent (id int PRIMARY KEY, until text); GRANT SELECT, INSERT ON lent TO ${role}`,
    );
    const { id } = (await post('/sessions', 'ben')).body;
    await rest.write(id, `INSERT INTO lent VALUES (1, 'soon')`, [], role);
    await rest.database.query('ALTER TABLE lent DROP COLUMN until');
    const [conflict] = (await get(`/sessions/${id}/conflicts`)).conflicts;
    assert.equal([conflict.kind, conflict.row_id], ['schema', null]);
    const { table, row_id, field } = conflict;
    for (const take of ['mine', 'theirs']) {
      const resolutions = [{ table, row_id, field, take, production_current: null }];
      const { status, body } = await post(`/sessions/${id}/resolve`, 'ben', { resolutions });
      assert.equal([status, body.error], [409, 'not_resolvable']);
      assert.match(body.message, 'in place: lent: its table has changed');
    }
  });

  test('tells authors nothing of conflicts that are hidden, and settles none', async () => {
    const id = await drifted(4);
    await rest.database.query(`REVOKE SELECT ON products FROM ${role}`);
    try {
      for (const json of [price(4), { all: 'mine' }])
        assert.is(
          (await post(`/sessions/${id}/resolve`, 'ben', json)).body.error,
          'no_such_conflict',
        );
      assert.is((await post(`/sessions/${id}/resolve`, 'root', price(4))).status, 200);
    } finally {
      await rest.database.query(`GRANT SELECT ON products TO ${role}`);
    }
  });

  test('stage resolve settles a column, a row or all; ends with 5, 6 and 64', async () => {
    const shell = await createShell(rest.url);
    const id = await drifted(5);
    const env = { STAGE_TOKEN: 'root', STAGE_SESSION: id };
    try {
      const run = (...args: readonly string[]) => shell.run(['resolve', ...args], { env });
      for (const args of [[], ['products', '--mine'], ['--mine', '--theirs']])
        assert.is((await run(...args)).code, 64);
      assert.is((await run('products', '1', '--mine')).code, 5);
      const done = await run('products', '5', 'price', '--mine');
      assert.equal([done.code, done.stdout], [0, `${id}\tactive\n`]);
      assert.is((await shell.run(['check'], { env })).code, 0);
      await rest.database.query('UPDATE products SET price = 1 WHERE id = 5');
      assert.is((await run('--theirs')).code, 0);
      assert.equal((await get(`/sessions/${id}/diff`)).tables, {});
      await post(`/sessions/${id}/propose`, 'ben');
      assert.is((await run('--mine')).code, 6);
    } finally {
      await shell.clear();
    }
  });
});
