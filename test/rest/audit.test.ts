/** GET /audit, /audit/:id, /audit/verify. */
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('rest: audit', (test) => {
  let rest: TestRest;
  let first: string;
  let second: string;
  test.before(async () => {
    rest = await startTestRest();
    const approve = async (project: string, ...statements: string[]) => {
      const id = await rest.newSession({ project_id: project });
      for (const statement of statements) await rest.write(id, statement);
      await rest.call('POST', `/sessions/${id}/propose`);
      await rest.call('POST', `/sessions/${id}/approve`, { json: { approved_by: 'mira' } });
      return id;
    };
    first = await approve(
      'shop',
      `UPDATE products SET stock = 7 WHERE sku = 'MUG-01'`,
      `INSERT INTO customers (id, email, name) VALUES (100, 'a@x', 'A')`,
      'DELETE FROM order_items WHERE order_id = 4',
    );
    second = await approve('shop', `UPDATE products SET stock = 8 WHERE sku = 'MUG-01'`);
    await approve('other', `UPDATE products SET stock = 9 WHERE sku = 'MUG-01'`);
  });
  test.after(() => rest.stop());

  const list = async (query: string) => (await rest.call('GET', `/audit?${query}`)).body;

  test('lists a project’s entries with every field', async () => {
    const { status, body } = await rest.call('GET', '/audit?project_id=shop');
    assert.is(status, 200);
    assert.is(body.total_count, 4);
    assert.is(body.has_more, false);
    assert.is(body.entries.length, 4);
    const entry = body.entries.find(
      (candidate: { session_id: string; operation: string }) =>
        candidate.session_id === first && candidate.operation === 'UPDATE',
    );
    assert.match(entry.id, /^aud_\d+$/);
    assert.is(entry.project_id, 'shop');
    assert.is(entry.table_name, 'products');
    assert.is(entry.row_id, '1');
    assert.is(entry.old_data.stock, 120);
    assert.is(entry.new_data.stock, 7);
    assert.match(entry.approved_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    assert.is(entry.approved_by, 'mira');
  });

  test('renders row ids as strings, composite keys in key order; data is null where there is none', async () => {
    const [removal] = (await list('project_id=shop&operation=DELETE')).entries;
    assert.is(removal.row_id, '4,5');
    assert.is(removal.new_data, null);
    assert.is(removal.old_data.quantity, 10);
    const [insert] = (await list('project_id=shop&operation=INSERT')).entries;
    assert.is(insert.row_id, '100');
    assert.is(insert.old_data, null);
    assert.is(insert.new_data.email, 'a@x');
  });

  test('filters by session, table, operation and time', async () => {
    assert.is((await list(`project_id=shop&session_id=${second}`)).total_count, 1);
    assert.is((await list(`project_id=other&session_id=${second}`)).total_count, 0);
    assert.is((await list('project_id=shop&session_id=nonsense')).total_count, 0);
    assert.is((await list('project_id=shop&table_name=products')).total_count, 2);
    assert.is((await list('project_id=shop&table_name=products&operation=UPDATE')).total_count, 2);
    assert.is((await list('project_id=none')).total_count, 0);
    const { approved_at: time } = (await rest.call('GET', `/sessions/${second}`)).body;
    assert.is((await list(`project_id=shop&since=${time}`)).total_count, 0);
    assert.is((await list(`project_id=shop&until=${time}`)).total_count, 3);
    assert.is((await list('project_id=shop&since=2020-01-01T00:00:00Z')).total_count, 4);
    assert.is((await list('project_id=shop&until=2020-01-01')).total_count, 0);
    assert.is((await list('project_id=shop&until=2020-01-01T00:00:00+02:00')).total_count, 0);
  });

  test('pages: each entry once, in one order', async () => {
    const whole = (await list('project_id=shop')).entries.map(({ id }: { id: string }) => id);
    const pages: string[] = [];
    for (let offset = 0; offset < 4; offset += 2) {
      const page = await list(`project_id=shop&limit=2&offset=${offset}`);
      assert.is(page.has_more, offset === 0);
      assert.is(page.total_count, 4);
      pages.push(...page.entries.map(({ id }: { id: string }) => id));
    }
    assert.equal(pages, whole);
  });

  for (const query of [
    '',
    'project_id=',
    'project_id=a&project_id=b',
    'project_id=shop&limit=1001',
    'project_id=shop&limit=x',
    'project_id=shop&limit=-1',
    'project_id=shop&offset=-1',
    'project_id=shop&operation=MERGE',
    'project_id=shop&since=yesterday',
    'project_id=shop&since=2026-02-30T00:00:00Z',
    'project_id=shop&since=0000-01-01T00:00:00Z',
    'project_id=shop&until=2026-01-01T25:00:00Z',
    'project_id=shop&until=1767225600',
  ]) {
    test(`refuses ${query || 'no project_id'}`, async () => {
      const { status, body } = await rest.call('GET', `/audit?${query}`);
      assert.is(status, 400);
      assert.is(body.error, 'invalid_request');
    });
  }

  test('takes the largest page', async () => {
    assert.is((await rest.call('GET', '/audit?project_id=shop&limit=1000')).status, 200);
  });

  test('shows one entry', async () => {
    const [entry] = (await list('project_id=shop')).entries;
    const { status, body } = await rest.call('GET', `/audit/${entry.id}`);
    assert.is(status, 200);
    assert.equal(body, entry);
  });

  for (const id of [
    'aud_999999',
    'aud_0',
    'aud_x',
    'x',
    'aud_99999999999999999999999',
    'aud_1%00',
  ]) {
    test(`${id} answers 404 audit_entry_not_found`, async () => {
      const { status, body } = await rest.call('GET', `/audit/${id}`);
      assert.is(status, 404);
      assert.is(body.error, 'audit_entry_not_found');
    });
  }

  test('verifies the chain, and names the first entry that was tampered with', async () => {
    const sound = (await rest.call('GET', '/audit/verify')).body;
    assert.is(sound.ok, true);
    assert.is(sound.entries, 5);
    assert.is(sound.approvals, 3);
    assert.is(sound.first_bad, null);
    assert.type(sound.head, 'string');
    const { entries, approvals, head } = sound;
    assert.equal((await rest.call('GET', '/audit/head')).body, { entries, approvals, head });
  });
});
