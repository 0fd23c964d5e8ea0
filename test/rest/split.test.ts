/** Splits and approvals of a part, over REST and from the command line: who may, what is returned, what a request may contain. */
import { approvedSession } from '../../src/rest/schemas/differences.ts';
import { splitSession } from '../../src/rest/schemas/split.ts';
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

const role = 'stage_test_splitter';
const setPrice = 'UPDATE products SET price = price + 1 WHERE id < 4';
const setName = `UPDATE customers SET name = name || '!' WHERE id < 3`;
const removeCustomer = 'DELETE FROM customers WHERE id = 1';
const firstProducts = { only: [1, 3].map((key) => ({ table: 'products', row_id: key })) };

interface Entry {
  readonly session_id: string;
  readonly table_name: string;
  readonly split_from?: string;
}

suite('rest: split', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest({ tokens, fourEyes: true });
    await rest.database.query(
      `CREATE ROLE ${role} LOGIN PASSWORD '${role}'; GRANT SELECT, UPDATE ON products TO ${role}; GRANT SELECT, UPDATE, DELETE ON customers TO ${role}`,
    );
  });
  test.after(async () => {
    await rest.database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    await rest.stop();
  });

  const post = (path: string, name: string, json = {}) => rest.call('POST', path, as(name, json));
  const get = async (path: string, name = 'ann') => (await rest.call('GET', path, as(name))).body;

  async function stagedBy(name: string, ...statements: readonly string[]): Promise<string> {
    const { id } = (await post('/sessions', name)).body;
    for (const statement of statements) await rest.write(id, statement, [], role);
    return id;
  }
  const staged = (...statements: readonly string[]) => stagedBy('ben', ...statements);

  const countsOf = async (id: string) =>
    Object.entries<{ changes: unknown[] }>((await get(`/sessions/${id}/diff`)).tables).map(
      ([table, { changes }]) => `${table} ${changes.length}`,
    );

  test('gives the chosen rows a session of their own', async () => {
    const id = await staged(setPrice, setName);
    const { digest } = await get(`/sessions/${id}/diff`);
    const { status, headers, body } = await post(`/sessions/${id}/split`, 'ben', firstProducts);
    assert.is(status, 201);
    assert.equal(splitSession.parse(body), body);
    assert.is(headers['location'], `/sessions/${body.id}`);
    const tables = [{ table: 'products', rows: 2 }];
    assert.equal(
      [body.split_from, body.status, body.created_as, body.mutation_count],
      [id, 'active', 'ben', 2],
    );
    assert.equal([body.part_tables, body.tied], [tables, []]);
    assert.equal(await countsOf(body.id), ['products 2']);
    assert.equal(await countsOf(id), ['customers 2', 'products 1']);
    const { events } = await get(`/sessions/${id}/events`);
    const { kind, by, body: reported } = events.at(-1);
    assert.equal([kind, by, reported], ['split', 'ben', { session_id: body.id, digest, tables }]);
  });

  test('is for authors, and for agents in their own sessions', async () => {
    const id = await staged(setPrice);
    const own = await stagedBy('bot', 'UPDATE products SET price = price + 2');
    assert.is((await post(`/sessions/${id}/split`, 'ann', firstProducts)).status, 403);
    assert.is((await post(`/sessions/${id}/split`, 'bot', firstProducts)).status, 404);
    const { status, body } = await post(`/sessions/${own}/split`, 'bot', firstProducts);
    assert.is(status, 201);
    assert.is((await get(`/sessions/${body.id}`, 'bot')).split_from, own);
    // its agent hears of it as well where an operator split it, and of its end
    const { body: other } = await post(`/sessions/${own}/split`, 'root', {
      only: [{ table: 'products', row_id: 2 }],
    });
    const hears = async (name: string) =>
      (await get('/events?after=0&limit=500', name)).events
        .filter(({ session_id: each }: Entry) => each === other.id)
        .map(({ kind }: { kind: string }) => kind);
    assert.equal(await hears('bot'), ['created']);
    await rest.call('DELETE', `/sessions/${other.id}`, as('root'));
    assert.equal(await hears('bot'), ['deleted']);
    const refused = await post(`/sessions/${own}/approve`, 'bot', firstProducts);
    assert.is(refused.status, 403);
  });

  test('names what is tied to the rows, but for tables that are hidden', async () => {
    const id = await staged(removeCustomer, setPrice);
    const ask = { only: [{ table: 'customers', row_id: 1 }] };
    const { status, body } = await post(`/sessions/${id}/split`, 'ben', ask);
    assert.equal([status, body.error], [409, 'has_dependents']);
    for (const row of body.dependents) assert.equal([row.row_id, row.hidden], [null, true]);
    const guess = { only: [{ table: 'orders', row_id: 1 }] };
    assert.is((await post(`/sessions/${id}/split`, 'ben', guess)).body.error, 'no_such_change');
    const made = await post(`/sessions/${id}/split`, 'ben', { ...ask, with_ties: true });
    assert.is(made.status, 201);
    // the other role that staged does not read them either: a split shows nobody more than before
    const hidden = await get(`/sessions/${made.body.id}/diff`, 'ben');
    assert.not.match(JSON.stringify(hidden), /"total"/);
  });

  test('approves a part, and leaves the rest in a session', async () => {
    const id = await staged(setPrice, setName);
    await post(`/sessions/${id}/propose`, 'ben');
    const { digest } = await get(`/sessions/${id}/diff`);
    const ask = { ...firstProducts, digest };
    const own = await post(`/sessions/${id}/approve`, 'ben', ask);
    assert.is(own.status, 403);
    const stale = await post(`/sessions/${id}/approve`, 'ann', {
      ...ask,
      digest: `sha256:${'0'.repeat(64)}`,
    });
    assert.equal([stale.status, stale.body.digest], [412, digest]);
    const { status, body } = await post(`/sessions/${id}/approve`, 'ann', ask);
    assert.is(status, 200);
    assert.equal(approvedSession.parse(body), body);
    assert.equal([body.status, body.reviewed_digest], ['approved', digest]);
    const rest = body.remaining_session_id;
    const again = await post(`/sessions/${id}/approve`, 'ann', ask);
    assert.equal([again.status, again.body.remaining_session_id], [200, rest]);
    for (const other of [{}, { only: [{ table: 'customers' }] }]) {
      const wrong = await post(`/sessions/${id}/approve`, 'ann', { ...other, digest });
      assert.equal([wrong.status, wrong.body.error], [409, 'invalid_transition']);
      assert.is(wrong.body.remaining_session_id, rest);
    }
    assert.equal(await countsOf(rest), ['customers 2', 'products 1']);
    assert.is((await get(`/sessions/${rest}/mutations`)).total_count, 2);
    assert.equal(await brokenInvariants(staging()), []);
    await post(`/sessions/${rest}/propose`, 'ben');
    assert.is((await post(`/sessions/${rest}/approve`, 'ann')).status, 200);
    const { entries } = await get('/audit?project_id=default&limit=100');
    const from = (session: string) =>
      entries
        .filter((entry: Entry) => entry.session_id === session)
        .map((entry: Entry) => `${entry.table_name} ${entry.split_from ?? 'none'}`);
    assert.equal(from(id), ['products none', 'products none']);
    assert.equal(from(rest), [`products ${id}`, `customers ${id}`, `customers ${id}`]);
    assert.is((await get('/audit/verify')).ok, true);
  });
  const staging = () => rest.database;

  const wrongBodies: readonly object[] = [
    {},
    { only: [] },
    { only: 'products' },
    { only: [{}] },
    { only: [{ table: 'products', row_id: 1.5 }] },
    { only: [{ table: 'products' }], with_ties: 1 },
    { only: [{ table: 'products' }], with_dependents: true },
  ];
  for (const wrong of wrongBodies) {
    test(`refuses ${JSON.stringify(wrong)}`, async () => {
      const { status } = await post(`/sessions/sess_${'0'.repeat(32)}/split`, 'root', wrong);
      assert.is(status, 400);
    });
  }

  test('stage session split and stage approve --only choose rows', async () => {
    const shell = await createShell(rest.url);
    const id = await staged(setPrice, setName);
    const env = { STAGE_TOKEN: 'root' };
    try {
      const run = (...args: readonly string[]) => shell.run(args, { env });
      for (const only of [[], ['--only', ':1'], ['--only', 'products:'], ['--with-ties']])
        assert.is((await run('session', 'split', id, ...only)).code, 64, only.join(' '));
      assert.is((await run('session', 'split', id, '--only', 'products:77')).code, 5);
      const made = await run('session', 'split', id, '--only', 'public.products:1,"3"');
      const [part = '', status] = made.stdout.trim().split('\t');
      assert.equal([made.code, status], [0, 'active'], made.stderr);
      assert.equal(await countsOf(part), ['products 2']);
      assert.match((await run('session', 'show', part)).stdout, new RegExp(`split.from.*${id}`));
      await post(`/sessions/${id}/propose`, 'ben');
      assert.is((await run('session', 'split', id, '--only', 'products')).code, 6);
      const only = ['--only', 'customers:1', '--only', 'products'];
      // whoever splits a session is an author of it
      const approved = await shell.run(['approve', id, '--yes', ...only], {
        env: { STAGE_TOKEN: 'ann' },
      });
      assert.is(approved.code, 0, approved.stderr);
      const { remaining_session_id: left } = await get(`/sessions/${id}`);
      assert.equal(await countsOf(left), ['customers 1']);
    } finally {
      await shell.clear();
    }
  });
});
