/** GET /sessions/:id/diff and /sessions/:id/mutations. */
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

suite('rest: diff', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest();
  });
  test.after(() => rest.stop());

  const staged = async () => {
    const id = await rest.newSession();
    await rest.write(id, `UPDATE products SET price = 10.10 WHERE sku = 'MUG-01'`);
    await rest.write(
      id,
      `INSERT INTO products (id, sku, name, price) VALUES (9007199254740993, 'BIG', 'Big', 1.50)`,
    );
    await rest.write(id, 'DELETE FROM order_items WHERE order_id = 4');
    return id;
  };

  test('of a session that changed nothing', async () => {
    const id = await rest.newSession();
    const { status, headers, body } = await rest.call('GET', `/sessions/${id}/diff`);
    assert.is(status, 200);
    assert.match(headers['content-type'] ?? '', /^application\/json/);
    assert.is(body.session_id, id);
    assert.equal(body.tables, {});
    assert.equal(body.summary, {
      total_inserts: 0,
      total_updates: 0,
      total_deletes: 0,
      tables_affected: 0,
      further_changes: 0,
    });
    assert.match(body.digest, /^sha256:[0-9a-f]{64}$/);
  });

  test('groups changes by table, with counts and full rows', async () => {
    const id = await staged();
    const { body } = await rest.call('GET', `/sessions/${id}/diff`);
    assert.equal(body.summary, {
      total_inserts: 1,
      total_updates: 1,
      total_deletes: 1,
      tables_affected: 2,
      further_changes: 0,
    });
    const { products, order_items: items } = body.tables;
    assert.equal([products.inserts, products.updates, products.deletes], [1, 1, 0]);
    assert.equal([items.inserts, items.updates, items.deletes], [0, 0, 1]);
    const update = products.changes.find((change: { type: string }) => change.type === 'UPDATE');
    assert.is(update.row_id, 1);
    assert.equal(update.before, {
      id: 1,
      sku: 'MUG-01',
      name: 'Coffee mug',
      price: 9.5,
      stock: 120,
    });
    assert.equal(update.after, {
      id: 1,
      sku: 'MUG-01',
      name: 'Coffee mug',
      price: 10.1,
      stock: 120,
    });
    const insert = products.changes.find((change: { type: string }) => change.type === 'INSERT');
    assert.is(insert.before, null);
    assert.is(insert.after.sku, 'BIG');
    const [removal] = items.changes;
    assert.is(removal.type, 'DELETE');
    assert.equal(removal.row_id, { order_id: 4, product_id: 5 });
    assert.is(removal.after, null);
    assert.is(removal.before.quantity, 10);
  });

  test('rounds no number', async () => {
    const { text } = await rest.call('GET', `/sessions/${await staged()}/diff`);
    assert.match(text, /"id": ?9007199254740993\b/);
    assert.match(text, /"row_id":"9007199254740993"/);
    assert.match(text, /"price": ?10\.10\b/);
  });

  test('of one table', async () => {
    const { body } = await rest.call('GET', `/sessions/${await staged()}/diff?table=order_items`);
    assert.equal(Object.keys(body.tables), ['order_items']);
    assert.is(body.tables.order_items.changes.length, 1);
    assert.is(body.summary.tables_affected, 2);
  });

  test('in pages: each change once, counts those of the whole', async () => {
    const id = await staged();
    const whole = (await rest.call('GET', `/sessions/${id}/diff`)).body;
    const seen: unknown[] = [];
    for (let offset = 0; offset < 4; offset += 1) {
      const { body } = await rest.call('GET', `/sessions/${id}/diff?limit=1&offset=${offset}`);
      assert.equal(body.summary, whole.summary);
      assert.is(body.digest, whole.digest);
      seen.push(
        ...Object.values<{ changes: unknown[] }>(body.tables).flatMap(({ changes }) => changes),
      );
    }
    assert.equal(
      seen,
      Object.values<{ changes: unknown[] }>(whole.tables).flatMap(({ changes }) => changes),
    );
    assert.is(seen.length, 3);
  });

  test('of an approved session is what was applied', async () => {
    const id = await rest.newSession();
    await rest.write(id, `UPDATE products SET stock = 41 WHERE sku = 'TEE-M'`);
    const before = (await rest.call('GET', `/sessions/${id}/diff`)).body;
    await rest.call('POST', `/sessions/${id}/propose`);
    assert.is((await rest.call('POST', `/sessions/${id}/approve`)).status, 200);
    const after = (await rest.call('GET', `/sessions/${id}/diff`)).body;
    assert.equal(after, { ...before, status: 'approved' });
  });

  for (const query of ['limit=x', 'limit=1001', 'offset=-1', 'table=']) {
    test(`refuses ${query}`, async () => {
      const { status, body } = await rest.call(
        'GET',
        `/sessions/${await rest.newSession()}/diff?${query}`,
      );
      assert.is(status, 400);
      assert.is(body.error, 'invalid_request');
    });
  }

  test('that breaks half way is visibly cut short, and the service goes on', async () => {
    const id = await rest.newSession();
    await rest.write(
      id,
      `INSERT INTO customers (email, name)
       SELECT n || '@y', repeat('y', 1000) FROM generate_series(1, 20000) n`,
    );
    const response = await fetch(`${rest.url}/sessions/${id}/diff`);
    const reader = response.body?.getReader();
    await reader?.read();
    // the client stopped reading, so the stream stops, too
    await until(async () => {
      const cut = await rest.database.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND state = 'idle in transaction'`,
      );
      return cut.length > 0;
    });
    const readAll = async () => {
      while (!(await reader?.read())?.done);
    };
    await rejects(readAll());
    assert.is((await rest.call('GET', `/sessions/${id}`)).status, 200);
  });

  test('given up half way leaves no transaction behind', async () => {
    const id = await rest.newSession();
    await rest.write(
      id,
      `INSERT INTO customers (email, name) SELECT n || '@x', repeat('x', 1000) FROM generate_series(1, 5000) n`,
    );
    const response = await fetch(`${rest.url}/sessions/${id}/diff`);
    const reader = response.body?.getReader();
    assert.ok((await reader?.read())?.value);
    await reader?.cancel();
    assert.is((await rest.call('HEAD', `/sessions/${id}/diff`)).status, 200);
    const open = () =>
      rest.database.query(
        `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
      );
    await until(async () => (await open()).length === 0);
    assert.equal(await open(), []);
  });
});

suite('rest: mutations', (test) => {
  let rest: TestRest;
  let id: string;
  test.before(async () => {
    rest = await startTestRest();
    id = await rest.newSession();
    await rest.write(id, 'UPDATE products SET stock = $1 WHERE sku = $2', [7, 'MUG-01']);
    await rest.write(id, `INSERT INTO customers (email, name) VALUES ('a@x', 'A'), ('b@x', 'B')`);
    await rest.write(id, 'UPDATE products SET stock = 9 WHERE sku = $1', ['TEE-M']);
    await rest.write(id, `DELETE FROM products WHERE sku = 'none'`);
  });
  test.after(() => rest.stop());

  test('lists what wrote, oldest first, with every field', async () => {
    const { status, body } = await rest.call('GET', `/sessions/${id}/mutations`);
    assert.is(status, 200);
    assert.is(body.session_id, id);
    assert.is(body.total_count, 3);
    assert.is(body.has_more, false);
    assert.equal(
      body.mutations.map(
        (mutation: { type: string; table: string }) => `${mutation.type} ${mutation.table}`,
      ),
      ['UPDATE products', 'INSERT customers', 'UPDATE products'],
    );
    const [first, second] = body.mutations;
    assert.match(first.id, /^mut_\d+$/);
    assert.is(first.query, 'UPDATE products SET stock = $1 WHERE sku = $2');
    assert.equal(first.params, [7, 'MUG-01']);
    assert.is(first.affected_rows, 1);
    assert.match(first.executed_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    assert.is(second.affected_rows, 2);
    assert.is((await rest.call('GET', `/sessions/${id}`)).body.mutation_count, 3);
  });

  test('tells which of them one statement made', async () => {
    const other = await rest.newSession();
    await rest.write(
      other,
      `WITH p AS (UPDATE products SET stock = 1 WHERE id = 1) UPDATE customers SET name = 'x' WHERE id = 1`,
    );
    await rest.write(other, 'UPDATE products SET stock = 2 WHERE id = 1');
    const { body } = await rest.call('GET', `/sessions/${other}/mutations`);
    const statements = body.mutations.map((each: { statement: string }) => each.statement);
    assert.is(statements.length, 3);
    assert.is(new Set(statements).size, 2);
    for (const statement of statements) assert.match(statement, /^\d+$/);
  });

  test('filters by table and type', async () => {
    const of = async (query: string) =>
      (await rest.call('GET', `/sessions/${id}/mutations?${query}`)).body;
    assert.is((await of('table=products')).total_count, 2);
    assert.is((await of('type=INSERT')).total_count, 1);
    assert.is((await of('table=products&type=INSERT')).total_count, 0);
    assert.is((await of("table=products'--")).total_count, 0);
  });

  test('pages', async () => {
    const { body } = await rest.call('GET', `/sessions/${id}/mutations?limit=1&offset=1`);
    assert.is(body.mutations.length, 1);
    assert.is(body.mutations[0].type, 'INSERT');
    assert.is(body.total_count, 3);
    assert.is(body.has_more, true);
    const none = (await rest.call('GET', `/sessions/${id}/mutations?limit=0`)).body;
    assert.equal(none.mutations, []);
    assert.is(none.total_count, 3);
  });

  for (const query of [
    'type=insert',
    'type=TRUNCATE',
    'limit=x',
    'limit=-1',
    'limit=1001',
    'limit=1e2',
    'limit=NaN',
    'offset=-1',
    'offset=99999999999999999999',
    'table=a%00b',
  ]) {
    test(`refuses ${query}`, async () => {
      const { status, body } = await rest.call('GET', `/sessions/${id}/mutations?${query}`);
      assert.is(status, 400);
      assert.is(body.error, 'invalid_request');
    });
  }

  test('gives 100 unless told otherwise', async () => {
    const many = await rest.newSession();
    await rest.write(many, `UPDATE products SET stock = 3 WHERE sku = 'TEE-L'`);
    await rest.database.query(
      `INSERT INTO stage.mutation (id, session, statement, operation, relation, table_name, query, params, affected_rows)
       SELECT nextval('stage.seq'), session, statement, operation, relation, table_name, query, params, affected_rows
       FROM stage.mutation, generate_series(1, 119) WHERE session = $1`,
      [many.slice('sess_'.length)],
    );
    const { body } = await rest.call('GET', `/sessions/${many}/mutations`);
    assert.is(body.mutations.length, 100);
    assert.is(body.total_count, 120);
    assert.is(body.has_more, true);
  });
});
