/** Unstage over REST and from the command line: who may, what is returned, what a request may contain. */
import { unstagedSession } from '../../src/rest/schemas/unstage.ts';
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

const role = 'stage_test_unstager';
const setPrice = 'UPDATE products SET price = price + 1 WHERE id < 4';
const removeCustomer = 'DELETE FROM customers WHERE id = 1';

suite('rest: unstage', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest({ tokens, fourEyes: true });
    await rest.database.query(
      `CREATE ROLE ${role} LOGIN PASSWORD '${role}'; GRANT SELECT, UPDATE ON products TO ${role}; GRANT SELECT, DELETE ON customers TO ${role}`,
    );
  });
  test.after(async () => {
    await rest.database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    await rest.stop();
  });

  const post = (path: string, name: string, json = {}) => rest.call('POST', path, as(name, json));
  const get = async (path: string, name = 'ann') => (await rest.call('GET', path, as(name))).body;

  async function staged(...statements: readonly string[]): Promise<string> {
    const { id } = (await post('/sessions', 'ben')).body;
    for (const statement of statements) await rest.write(id, statement, [], role);
    return id;
  }

  const products = (...keys: readonly unknown[]) => ({
    rows: keys.map((key) => ({ table: 'products', row_id: key })),
  });

  test('takes rows out; the digest, the revision and the events tell of it', async () => {
    const id = await staged(setPrice);
    const before = await get(`/sessions/${id}/diff`);
    const { revision } = await get(`/sessions/${id}/diff/outline`);
    const { status, body } = await post(`/sessions/${id}/unstage`, 'ben', products(1, 3));
    assert.is(status, 200);
    assert.equal(unstagedSession.parse(body), body);
    assert.equal(
      [body.edits, body.mutation_count, body.tried, body.unstaged_tables],
      [1, 1, false, [{ table: 'products', rows: 2 }]],
    );
    const row = { table: 'products', type: 'UPDATE', dependent: false };
    assert.equal(body.unstaged, [
      { ...row, row_id: 1 },
      { ...row, row_id: 3 },
    ]);
    const after = await get(`/sessions/${id}/diff`);
    assert.equal(after.tables.products.changes, [before.tables.products.changes[1]]);
    assert.is.not(after.digest, before.digest);
    assert.is.not((await get(`/sessions/${id}/diff/outline`)).revision, revision);
    const event = (await get(`/sessions/${id}/events`)).events.at(-1);
    assert.equal(
      [event.kind, event.by, event.body],
      ['unstaged', 'ben', { tables: [{ table: 'products', rows: 2 }] }],
    );
    assert.equal(await brokenInvariants(rest.database), []);
  });

  test('is for those who write, in sessions that they may write in', async () => {
    const id = await staged(setPrice);
    assert.is((await post(`/sessions/${id}/unstage`, 'ann', products(1))).status, 403);
    assert.is((await post(`/sessions/${id}/unstage`, 'bot', products(1))).status, 404);
    await post(`/sessions/${id}/propose`, 'ben');
    const { status, body } = await post(`/sessions/${id}/unstage`, 'ben', products(1));
    assert.equal([status, body.error, body.status], [409, 'invalid_transition', 'proposed']);
    assert.is((await get(`/sessions/${id}/diff`)).tables.products.updates, 3);
  });

  test('makes who asked one of its authors, who do not approve it', async () => {
    const id = await staged(setPrice);
    const { body } = await post(`/sessions/${id}/unstage`, 'root', products(1));
    assert.is(body.tried, true);
    await post(`/sessions/${id}/propose`, 'ben');
    const refused = await post(`/sessions/${id}/approve`, 'root');
    assert.equal([refused.status, refused.body.error], [403, 'four_eyes_required']);
    assert.is((await post(`/sessions/${id}/approve`, 'ann')).status, 200);
  });

  test('names what hangs on the rows, but for tables that are hidden', async () => {
    const id = await staged(removeCustomer);
    const ask = { rows: [{ table: 'customers', row_id: 1 }] };
    const { status, body } = await post(`/sessions/${id}/unstage`, 'ben', ask);
    assert.equal([status, body.error], [409, 'has_dependents']);
    assert.ok(body.dependents.length > 0);
    assert.is(body.dependents_count, body.dependents.length);
    for (const row of body.dependents)
      assert.equal([row.row_id, row.type, row.hidden], [null, 'DELETE', true]);
    const seen = await post(`/sessions/${id}/unstage`, 'root', ask);
    const order = seen.body.dependents.find((row: { table: string }) => row.table === 'orders');
    assert.type(order.row_id, 'number');
    const hidden = { rows: [{ table: 'orders', row_id: order.row_id }] };
    const guess = await post(`/sessions/${id}/unstage`, 'ben', hidden);
    const wrong = await post(`/sessions/${id}/unstage`, 'ben', {
      rows: [{ table: 'orders', row_id: 999_999 }],
    });
    assert.equal([guess.body.error, wrong.body.error], ['no_such_change', 'no_such_change']);
    const all = await post(`/sessions/${id}/unstage`, 'ben', { ...ask, with_dependents: true });
    assert.is(all.status, 200);
    assert.equal((await get(`/sessions/${id}/diff`)).tables, {});
  });

  const wrongBodies: readonly object[] = [
    {},
    { rows: [] },
    { rows: 'products' },
    { rows: [{}] },
    { rows: [{ table: '' }] },
    { rows: [{ table: 'products', row_id: 1.5 }] },
    { rows: [{ table: 'products', row_id: 2 ** 60 }] },
    { rows: [{ table: 'products', row_id: [1] }] },
    { rows: [{ table: 'products', row_id: true }] },
    { rows: [{ table: 'products', row_id: '\u0000' }] },
    { rows: [{ table: 'products', row_id: { id: '\ud800' } }] },
    { rows: [{ table: 'products', row_id: 'x'.repeat(5000) }] },
    { rows: [{ table: 'pro\nducts', row_id: 1 }] },
    { rows: [{ table: 'products', row_id: 1, more: true }] },
    { rows: [{ table: 'products', row_id: 1 }], with_dependents: 'yes' },
    { rows: [{ table: 'products', row_id: 1 }], force: true },
    products(...Array.from({ length: 10_001 }, (_, index) => index)),
  ];
  test('takes no body of another form', async () => {
    const id = await staged(setPrice);
    for (const json of wrongBodies) {
      const { status, body } = await post(`/sessions/${id}/unstage`, 'ben', json);
      assert.equal(
        [status, body.error],
        [400, 'invalid_request'],
        JSON.stringify(json).slice(0, 80),
      );
    }
    assert.is((await get(`/sessions/${id}/diff`)).tables.products.updates, 3);
  });

  test('means rows by their keys alone, however they are written', async () => {
    const id = await staged(setPrice);
    const ask = (text: string) =>
      rest.call('POST', `/sessions/${id}/unstage`, {
        headers: { authorization: 'Bearer ben', 'content-type': 'application/json' },
        raw: `{"rows": [{"table": "products", "row_id": ${text}}]}`,
      });
    for (const text of [
      '{"__proto__": 1}',
      '{"id": 1}',
      '"1 OR true"',
      `"' OR ''='"`,
      '"1\u2028"',
      '-1',
    ])
      assert.is((await ask(text)).body.error, 'no_such_change', text);
    const many = products(...Array.from({ length: 10_000 }, () => 1));
    assert.is((await post(`/sessions/${id}/unstage`, 'ben', many)).body.unstaged.length, 1);
    assert.is((await ask('"2"')).status, 200);
    assert.is(({} as { id?: number }).id, undefined);
    assert.equal((await get(`/sessions/${id}/diff`)).tables.products.changes.length, 1);
  });

  test('stage unstage names rows, ends with 3, 5, 6 and 64', async () => {
    const shell = await createShell(rest.url);
    const id = await staged(setPrice, removeCustomer);
    const env = { STAGE_TOKEN: 'root', STAGE_SESSION: id };
    try {
      const run = (...args: readonly string[]) => shell.run(['unstage', ...args], { env });
      for (const args of [['products'], ['products', '1', '--all']])
        assert.is((await run(...args)).code, 64);
      const refused = await run('customers', '1');
      assert.is(refused.code, 3);
      assert.match(
        refused.stderr,
        /error: .*depends? on what is taken out.*\n(?: {2}.*\n)* {2}orders \d+\n/,
      );
      assert.match(refused.stderr, /--with-dependents/);
      const done = await run('customers', '1', '--with-dependents');
      assert.equal([done.code, done.stdout], [0, `${id}\tactive\n`]);
      assert.match(done.stderr, /taken out, too: orders \d+\n/);
      assert.is((await run('customers', '1')).code, 5);
      const json = await run('products', '1', '2', '--json');
      assert.equal(JSON.parse(json.stdout).unstaged.length, 2);
      assert.is((await run('public.products', '--all')).code, 0);
      await post(`/sessions/${id}/propose`, 'ben');
      assert.is((await run('products', '--all')).code, 6);
    } finally {
      await shell.clear();
    }
  });
});
