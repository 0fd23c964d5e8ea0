/** An author's token is not shown tables that a database role which staged in the session may not read. */
import { auditList } from '../../src/rest/schemas/audit.ts';
import * as pages from '../../src/rest/schemas/diff-pages.ts';
import * as outputs from '../../src/rest/schemas/outputs.ts';
import type { Sent } from '../helpers/http.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import type { TestRole } from '../helpers/roles.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, suite } from '../helpers/suite.ts';

const tokens = [
  testToken({ name: 'agent', role: 'author' }),
  testToken({ name: 'ann', role: 'reviewer' }),
  testToken({ name: 'root', role: 'operator' }),
];

const as = (name: string, json?: object): Sent => ({
  headers: { authorization: `Bearer ${name}` },
  ...(json === undefined ? {} : { json }),
});

/** Deletes a customer, an order and two of its items. */
const cascade = 'DELETE FROM customers WHERE id = 2';

suite('rest: tables that may not be read', (test) => {
  let rest: TestRest;
  /** May read customers, and nothing else. */
  let clerk: TestRole;
  let id: string;
  test.before(async () => {
    rest = await startTestRest({ tokens });
    clerk = await createRole(rest.database, 'GRANT SELECT ON customers TO $role');
  });
  test.after(async () => {
    await clerk.drop();
    await rest.stop();
  });
  test.beforeEach(async () => {
    id = await create();
  });

  const sql = (text: string) => rest.database.query(text.replaceAll('$clerk', clerk.name));
  const create = async (project = 'default') =>
    (await rest.call('POST', '/sessions', as('agent', { project_id: project }))).body.session_id;
  const get = async (path: string, name = 'agent') => {
    const { status, body } = await rest.call('GET', path, as(name));
    assert.is(status, 200, path);
    return body;
  };
  const ofSession = (path: string, name = 'agent') => get(`/sessions/${id}/${path}`, name);
  const update = `UPDATE customers SET name = 'X' WHERE id = 1`;

  test('their rows are left out of the diff, which counts them and keeps its digest', async () => {
    await rest.write(id, cascade, [], clerk.name);
    const diff = await ofSession('diff');
    const whole = await ofSession('diff', 'ann');
    assert.is(whole.tables.orders.changes[0].before.note, null);
    assert.is(whole.tables.orders.hidden, undefined);
    assert.equal(diff.tables.customers, whole.tables.customers);
    assert.is(diff.tables.customers.changes[0].before.name, 'Grace Hopper');
    assert.equal(diff.tables.orders, {
      inserts: 0,
      updates: 0,
      deletes: 1,
      further_changes: 0,
      hidden: true,
      columns: [],
      triggers: [],
      changes: [],
    });
    assert.equal([diff.tables.order_items.deletes, diff.tables.order_items.changes], [2, []]);
    assert.equal([diff.digest, diff.summary], [whole.digest, whole.summary]);
    assert.equal(whole, await ofSession('diff', 'root'));
    assert.equal(outputs.diff.parse(diff), diff);
  });

  test('their steps are counted and not shown, before approval and after', async () => {
    await rest.write(id, update, [], clerk.name);
    await sql('GRANT SELECT ON products TO $clerk');
    for (const stock of [7, 8, 120])
      await rest.write(id, 'UPDATE products SET stock = $1 WHERE id = 1', [stock], clerk.name);
    await sql('REVOKE SELECT ON products FROM $clerk');
    const tablesOf = ({ steps }: { steps: { table: string }[] }) => steps.map(({ table }) => table);
    const look = async (further: number) => {
      const diff = await ofSession('diff?steps=true');
      const whole = await ofSession('diff?steps=true', 'ann');
      assert.equal(tablesOf(whole), ['customers', ...Array(further).fill('products')]);
      assert.equal(diff.steps, whole.steps.slice(0, 1));
      const counts = { inserts: 0, updates: 0, deletes: 0, further_changes: further };
      assert.equal(diff.tables.products, {
        ...counts,
        hidden: true,
        columns: [],
        triggers: [],
        changes: [],
      });
      assert.equal([diff.digest, diff.summary], [whole.digest, whole.summary]);
      assert.equal(outputs.diff.parse(diff), diff);
      assert.equal((await ofSession('diff?steps=true&table=products')).steps, []);
      assert.is((await ofSession('diff/outline')).tables.products.further_changes, further);
    };
    await look(3);
    await rest.call('POST', `/sessions/${id}/propose`, as('agent', {}));
    const approved = await rest.call('POST', `/sessions/${id}/approve`, as('ann', {}));
    assert.is(approved.status, 200);
    await look(3);
    await sql(`UPDATE customers SET name = 'Ada Lovelace' WHERE id = 1`);
  });

  test('filters and limits find none of their rows', async () => {
    await rest.write(id, cascade, [], clerk.name);
    const orders = await ofSession('diff?table=orders');
    assert.equal(Object.keys(orders.tables), ['orders']);
    assert.equal([orders.tables.orders.deletes, orders.tables.orders.changes], [1, []]);
    assert.is(orders.summary.total_deletes, 4);
    const limited = await ofSession('diff?type=DELETE&limit=1');
    assert.is(limited.tables.customers.changes.length, 1);
    assert.equal(limited.tables.order_items.changes, []);
    assert.is(
      (await ofSession('diff?table=orders&type=DELETE', 'ann')).tables.orders.changes.length,
      1,
    );
  });

  test('the outline marks them and names nothing of them, and their pages are empty whatever is looked for', async () => {
    await rest.write(id, cascade, [], clerk.name);
    const outline = await ofSession('diff/outline');
    const whole = await ofSession('diff/outline', 'ann');
    assert.is(whole.tables.orders.hidden, undefined);
    assert.is(outline.tables.customers.hidden, undefined);
    assert.equal(whole.tables.orders.key, ['id']);
    const nothing = { key: [], columns: [], triggers: [] };
    assert.equal(outline.tables.orders, { ...whole.tables.orders, ...nothing, hidden: true });
    assert.equal(pages.outline.parse(outline), outline);
    for (const rest of ['', '&type=DELETE', '&search=shipped', '&cursor=1&limit=5']) {
      const page = await ofSession(`diff/changes?table=orders${rest}`);
      assert.equal([page.changes, page.next_cursor, page.hidden], [[], null, true], rest);
      assert.equal(pages.changePage.parse(page), page);
    }
    const page = await ofSession('diff/changes?table=orders&search=shipped', 'ann');
    assert.equal([page.changes.length, page.hidden], [1, undefined]);
    const own = await ofSession('diff/changes?table=customers&search=grace');
    assert.equal([own.changes.length, own.hidden], [1, undefined]);
  });

  test('the log keeps their entries, without texts, parameters and settings', async () => {
    await sql('GRANT SELECT ON products TO $clerk');
    await rest.write(id, 'UPDATE products SET stock = $1 WHERE id = 1', [7], clerk.name);
    await rest.write(id, update, [], clerk.name);
    const both = `WITH p AS (UPDATE products SET stock = 3 WHERE id = 2) ${update.replace('X', 'Z')}`;
    await rest.write(id, both, [], clerk.name);
    await sql(`UPDATE stage.mutation SET settings = '{"app.who": "ann"}'`);
    const before = await ofSession('mutations');
    assert.equal(before.mutations[0].settings, { 'app.who': 'ann' });
    assert.equal(before, await ofSession('mutations', 'ann'));
    assert.equal(
      before.mutations.map(({ role }: { role: string }) => role),
      Array(4).fill(clerk.name),
    );
    await sql('REVOKE SELECT ON products FROM $clerk');
    const log = await ofSession('mutations');
    assert.equal(outputs.mutationList.parse(log), log);
    const brief = log.mutations.map(
      ({ table, query, params, settings, hidden, affected_rows }: Record<string, unknown>) => [
        table,
        query,
        params,
        settings,
        hidden,
        affected_rows,
      ],
    );
    assert.equal(brief[0], ['products', null, null, undefined, true, 1]);
    assert.equal(brief[1], ['customers', update, [], { 'app.who': 'ann' }, undefined, 1]);
    assert.equal(brief.slice(2).sort(), [
      ['customers', null, null, undefined, true, 1],
      ['products', null, null, undefined, true, 1],
    ]);
    const filtered = await ofSession('mutations?table=products&type=UPDATE&limit=1');
    assert.equal(
      [filtered.mutations.length, filtered.total_count, filtered.has_more],
      [1, 2, true],
    );
    assert.equal(before, await ofSession('mutations', 'ann'));
  });

  test('conflicts in them are told without row, column and values', async () => {
    await rest.write(id, cascade, [], clerk.name);
    await sql(`UPDATE orders SET note = 'moved' WHERE id = 3`);
    await sql(`UPDATE customers SET name = 'Moved' WHERE id = 2`);
    const whole = await ofSession('conflicts', 'ann');
    const reported = await ofSession('conflicts');
    await sql(`UPDATE orders SET note = NULL WHERE id = 3`);
    await sql(`UPDATE customers SET name = 'Grace Hopper' WHERE id = 2`);
    assert.equal(outputs.conflictList.parse(reported), reported);
    assert.is(whole.conflicts.length, 2);
    assert.equal([reported.total_count, reported.conflicts.length], [2, 2]);
    const of = (body: { conflicts: { table: string }[] }, name: string) =>
      body.conflicts.find(({ table }) => table === name);
    assert.equal(of(reported, 'customers'), of(whole, 'customers'));
    assert.equal(of(reported, 'orders'), {
      table: 'orders',
      row_id: null,
      field: null,
      kind: 'changed',
      session_base: null,
      session_new: null,
      production_current: null,
      hidden: true,
    });
    assert.is((of(whole, 'orders') as { production_current?: string }).production_current, 'moved');
  });

  test('the audit keeps their entries, without rows and keys', async () => {
    id = await create('audited');
    await rest.write(id, `UPDATE customers SET name = 'Ada' WHERE id = 1`, [], clerk.name);
    await sql('GRANT SELECT ON orders TO $clerk');
    await rest.write(id, `UPDATE orders SET note = 'audited' WHERE id = 1`, [], clerk.name);
    await rest.call('POST', `/sessions/${id}/propose`, as('agent'));
    const approved = await rest.call('POST', `/sessions/${id}/approve`, as('ann', {}));
    assert.equal(approved.body.roles, [clerk.name]);
    const list = '/audit?project_id=audited';
    assert.equal(await get(list), await get(list, 'ann'));
    await sql('REVOKE SELECT ON orders FROM $clerk');
    const [customers, orders] = (await get(list, 'ann')).entries;
    const reported = await get(list);
    assert.equal(auditList.parse(reported), reported);
    const withheld = { ...orders, row_id: null, old_data: null, new_data: null, hidden: true };
    assert.equal(reported.entries, [customers, withheld]);
    assert.equal(orders.new_data.note, 'audited');
    assert.equal(await get(`/audit/${orders.id}`), withheld);
    assert.equal(await get(`/audit/${customers.id}`), customers);
    const filtered = await get(`${list}&table_name=orders&operation=UPDATE`);
    assert.equal([filtered.entries, filtered.total_count], [[withheld], 1]);
    const { tables, digest } = await ofSession('diff');
    assert.equal([tables.orders.updates, tables.orders.changes], [1, []]);
    assert.is(tables.customers.changes.length, 1);
    assert.is(digest, (await ofSession('diff', 'ann')).digest);
    assert.ok((await ofSession('diff/outline')).tables.orders.hidden);
    assert.equal((await ofSession('diff/changes?table=orders')).changes, []);
  });

  test('what a migration made ambiguous is hidden like the rest', async () => {
    await sql('GRANT SELECT ON products TO $clerk');
    await rest.write(id, `UPDATE products SET name = 'secret' WHERE id = 1`, [], clerk.name);
    await sql('REVOKE SELECT ON products FROM $clerk');
    await sql('ALTER TABLE products ALTER name TYPE varchar(100) USING upper(name)');
    await ofSession('conflicts', 'ann');
    const { tables } = await ofSession('diff');
    assert.equal([tables.products.updates, tables.products.changes], [1, []]);
    assert.ok(
      (await ofSession('conflicts')).conflicts.every((each: { hidden?: true }) => each.hidden),
    );
    assert.match(JSON.stringify(await ofSession('diff', 'ann')), /secret/);
  });
});
