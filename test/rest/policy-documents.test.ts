/** The documents of docs/policy.md, each set and tried; and a policy where no token is required. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfigFile } from '../../src/config/files.ts';
import { beforePolicy } from '../helpers/before-policy.ts';
import type { Sent } from '../helpers/http.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';

const tokens = [
  testToken({ name: 'bot', role: 'author' }),
  ...['ann', 'bob', 'cat'].map((name) => testToken({ name, role: 'reviewer' })),
  testToken({ name: 'root', role: 'operator' }),
];

const as = (name: string, json: object = {}, headers = {}): Sent => ({
  headers: { authorization: `Bearer ${name}`, ...headers },
  json,
});

/** Returns the documents by the first word of the sentence above each. */
async function documents(): Promise<ReadonlyMap<string, unknown>> {
  const folder = await mkdtemp(join(tmpdir(), 'stage-policy-'));
  const page = await readFile('docs/policy.md', 'utf8');
  const found = new Map<string, unknown>();
  for (const [, word = '', text = ''] of page.matchAll(/\n(\w+)[^\n]*\n\n```yaml\n(.*?)```/gs)) {
    const path = join(folder, `${word}.yaml`);
    await writeFile(path, text);
    found.set(word, readConfigFile(path).content);
  }
  await rm(folder, { recursive: true });
  return found;
}

suite('rest: the documents of docs/policy.md', (test) => {
  let rest: TestRest;
  let known: ReadonlyMap<string, unknown>;
  test.before(async () => {
    rest = await startTestRest({ tokens });
    known = await documents();
  });
  test.after(() => rest.stop());

  const set = async (word: string) => {
    const document = known.get(word);
    const sent = as('root', { document }, { 'if-match': '*' });
    const { status, body } = await rest.call('PUT', '/policy', sent);
    assert.is(status, 200, JSON.stringify(body));
  };
  /** Returns a session's id and the status of its proposal. */
  const propose = async (statement: string, by = 'bot') => {
    const id = (await rest.call('POST', '/sessions', as(by))).body.session_id as string;
    await beforePolicy(rest.database, () => rest.write(id, statement));
    const { status } = await rest.call('POST', `/sessions/${id}/propose`, as(by));
    return { id, status };
  };
  const approve = async (id: string, name: string) =>
    (await rest.call('POST', `/sessions/${id}/approve`, as(name))).status;

  const stock = 'UPDATE products SET stock = stock + 1 WHERE id = 1';
  const customer = `INSERT INTO customers (email, name) VALUES ('x' || random(), 'x')`;
  const many = `INSERT INTO customers (email, name) SELECT g || 'y' || random(), 'y' FROM generate_series(1, 101) g`;

  test('there are five', () => {
    assert.equal([...known.keys()], ['Alone', 'A', 'With', 'Regulated', 'On']);
  });

  test('alone', async () => {
    await set('Alone');
    assert.is((await propose('DELETE FROM customers WHERE id = 1')).status, 409);
    assert.is((await propose(many.replace('101', '1001'))).status, 409);
    const { id, status } = await propose(stock);
    assert.equal([status, await approve(id, 'root')], [200, 200]);
  });

  test('a team', async () => {
    await set('A');
    const { id } = await propose(stock, 'root');
    assert.is(await approve(id, 'root'), 403);
    assert.is(await approve(id, 'ann'), 200);
    const old = await propose(stock);
    await rest.database.query(
      `UPDATE stage.session SET proposed_at = proposed_at - interval '25 hours' WHERE id = '${old.id.slice(5)}'`,
    );
    assert.is(await approve(old.id, 'ann'), 409);
  });

  test('with agents', async () => {
    await set('With');
    assert.is((await propose(many)).status, 409);
    assert.is((await propose('DELETE FROM order_items')).status, 409);
    assert.is((await propose(`UPDATE customers SET email = 'z' WHERE id = 1`)).status, 409);
    const prices = await propose(stock);
    assert.equal(
      [
        await approve(prices.id, 'root'),
        await approve(prices.id, 'ann'),
        await approve(prices.id, 'cat'),
      ],
      [403, 202, 200],
    );
    const other = await propose(customer);
    assert.is(await approve(other.id, 'root'), 200);
  });

  test('regulated', async () => {
    await set('Regulated');
    const { id } = await propose(stock);
    const { body } = await rest.call('GET', `/sessions/${id}/policy`, as('ann'));
    assert.equal(
      body.verdicts.map(({ limit }: { limit: string }) => limit),
      ['expire', 'windows', 'four_eyes'],
    );
    const isOpen = body.verdicts[1].holds as boolean;
    assert.equal(
      [await approve(id, 'ann'), await approve(id, 'bob')],
      isOpen ? [202, 200] : [409, 409],
    );
  });

  test('on call', async () => {
    await set('On');
    const { id } = await propose(stock);
    assert.equal([await approve(id, 'ann'), await approve(id, 'root')], [403, 200]);
    assert.is((await propose(many)).status, 409);
  });
});

suite('rest: a policy where no token is required', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest();
  });
  test.after(() => rest.stop());

  const put = (rule: object) =>
    rest.call('PUT', '/policy', {
      json: { document: { rules: [{ name: 'r', ...rule }] } },
      headers: { 'if-match': '*' },
    });

  test('limits hold, and nobody can be counted', async () => {
    assert.is((await put({ approvals: { count: 1 } })).status, 400);
    assert.is((await put({ budget: { rows_per_day: 1 } })).status, 400);
    assert.is((await put({ tables: ['products'], max_rows: 0 })).status, 200);
    const id = await rest.newSession();
    await beforePolicy(rest.database, () =>
      rest.write(id, 'UPDATE products SET stock = stock + 1'),
    );
    assert.is((await rest.call('POST', `/sessions/${id}/propose`)).status, 409);
    // a policy of a time when tokens were required
    await rest.database.query(
      `SELECT stage.set_policy(NULL, '{"rules": [{"name": "two", "approvals": {"count": 2}}]}', '{}', 'root', NULL)`,
    );
    assert.is((await rest.call('POST', `/sessions/${id}/propose`)).status, 200);
    const { status, body } = await rest.call('POST', `/sessions/${id}/approve`);
    assert.equal([status, body.error], [403, 'approver_required']);
  });
});
