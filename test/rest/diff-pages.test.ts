/** GET /sessions/:id/diff/outline and /sessions/:id/diff/changes: any page of a diff, found without reading the others. */
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';

type Chunk = readonly [after: string, inserts: number, updates: number, deletes: number];
interface Change {
  readonly number: string;
  readonly type: string;
}

suite('rest: pages of a diff', (test) => {
  let rest: TestRest;
  let id: string;
  let whole: Change[];
  test.before(async () => {
    rest = await startTestRest();
    id = await rest.newSession();
    await rest.write(
      id,
      `INSERT INTO customers (email, name) SELECT n || '@x', 'New ' || n FROM generate_series(1, 700) n`,
    );
    await rest.write(id, `UPDATE customers SET name = name || '!' WHERE email LIKE '%1@x'`);
    await rest.write(id, `DELETE FROM customers WHERE email LIKE '%2@x'`);
    await rest.write(id, `INSERT INTO customers (email, name) VALUES ('last@x', 'Needle \\ "x"')`);
    await rest.write(id, `UPDATE customers SET name = 'First' WHERE id = 1`);
    await rest.write(id, `DELETE FROM order_items WHERE order_id = 4`);
    whole = (await get('diff?table=customers')).tables.customers.changes;
  });
  test.after(() => rest.stop());

  const get = async (path: string) => (await rest.call('GET', `/sessions/${id}/${path}`)).body;
  const plain = (changes: Change[]) => changes.map(({ number: _, ...change }) => change);

  test('an outline counts every table in chunks, and names keys and columns in order', async () => {
    const { tables, revision } = await get('diff/outline');
    assert.equal(Object.keys(tables), ['customers', 'order_items']);
    const { chunks, key, columns, ...counts } = tables.customers;
    assert.equal(counts, {
      ...{ inserts: 631, updates: 1, deletes: 0, further_changes: 210 },
      triggers: [],
    });
    assert.equal(
      chunks.map(([, ...kinds]: Chunk) => kinds),
      [
        [500, 0, 0],
        [131, 1, 0],
      ],
    );
    assert.equal(key, ['id']);
    assert.equal(columns.map(({ name }: { name: string }) => name).slice(0, 3), [
      'id',
      'email',
      'name',
    ]);
    assert.equal(tables.order_items.key, ['order_id', 'product_id']);
    assert.match(revision, /^staged-\d+$/);
  });

  test('a chunk begins where its cursor says', async () => {
    const [, second] = (await get('diff/outline')).tables.customers.chunks;
    const page = await get(`diff/changes?table=customers&limit=1000&cursor=${second[0]}`);
    assert.equal(plain(page.changes), whole.slice(500));
    assert.is(page.next_cursor, null);
  });

  test('pages follow each other without gap or overlap', async () => {
    const seen: Change[] = [];
    for (let cursor: string | null = '0'; cursor !== null; ) {
      const page = await get(`diff/changes?table=customers&limit=100&cursor=${cursor}`);
      seen.push(...page.changes);
      cursor = page.next_cursor;
    }
    assert.equal(plain(seen), whole);
  });

  test('a page of one kind skips what it is told to', async () => {
    const inserts = whole.filter(({ type }) => type === 'INSERT');
    const page = await get('diff/changes?table=customers&type=INSERT&offset=600&limit=5');
    assert.equal(plain(page.changes), inserts.slice(600, 605));
    assert.equal(plain((await get('diff/changes?table=customers&type=UPDATE')).changes), [
      whole.at(-1),
    ]);
    assert.equal((await get('diff?table=customers&type=UPDATE')).tables.customers.changes, [
      whole.at(-1),
    ]);
  });

  test('a search looks into values alone, and takes its text as it is', async () => {
    const found = async (text: string) =>
      (await get(`diff/changes?table=customers&search=${encodeURIComponent(text)}`)).changes.length;
    assert.is(await found('needle \\ "X"'), 1);
    assert.is(await found('email'), 0);
    assert.is(await found('new 70%'), 0);
    assert.is(await found('new 701'), 0);
    assert.is(await found('first'), 1);
  });

  test('sorted pages go by the values of a column, and follow each other', async () => {
    const imageOf = (change: { after: { id: number; name: string } | null; before: unknown }) =>
      change.after ?? change.before;
    const seen: { id: number; name: string }[] = [];
    for (let cursor: string | null = '0'; cursor !== null; ) {
      const path = `diff/changes?table=customers&sort=name&descending=true&limit=100&cursor=${cursor}`;
      const page = await get(path);
      seen.push(...page.changes.map(imageOf));
      cursor = page.next_cursor;
    }
    assert.is(seen.length, whole.length);
    const [row] = await rest.database.query<{ names: string[] }>(
      'SELECT array_agg(n ORDER BY n DESC) AS names FROM jsonb_array_elements_text($1) n',
      [JSON.stringify(seen.map(({ name }) => name))],
    );
    assert.equal(
      seen.map(({ name }) => name),
      row?.names,
    );
    const ids = async (filter: string) =>
      (await get(`diff/changes?table=customers&sort=id${filter}`)).changes.map(
        (change: never) => (imageOf(change) as { id: number }).id,
      );
    const all = seen.map(({ id: each }) => each).sort((one, other) => one - other);
    assert.equal(await ids('&limit=1000'), all);
    assert.equal(await ids('&limit=5&offset=10'), all.slice(10, 15));
    assert.equal(await ids('&type=UPDATE'), [1]);
    const named = seen.filter(({ name }) => name.includes('w 12')).map(({ id: each }) => each);
    assert.equal(
      await ids('&search=W%2012'),
      named.sort((one, other) => one - other),
    );
  });

  test('an unknown column is named, and a list that is too long is not sorted', async () => {
    const answer = async (path: string) => rest.call('GET', `/sessions/${id}/${path}`);
    const unknown = await answer('diff/changes?table=customers&sort=nmae');
    assert.equal([unknown.status, unknown.body.error], [400, 'invalid_request']);
    assert.match(unknown.body.hint, /Did you mean name/);
    const other = await rest.newSession();
    await rest.write(
      other,
      `INSERT INTO customers (email, name) SELECT n || '@y', n FROM generate_series(1, 10001) n`,
    );
    const long = await rest.call('GET', `/sessions/${other}/diff/changes?table=customers&sort=id`);
    assert.equal([long.status, long.body.error], [400, 'invalid_request']);
    assert.match(long.body.message, /more than 10000 changes/);
    const none = `/sessions/${other}/diff/changes?table=customers&sort=id&type=DELETE`;
    assert.equal((await rest.call('GET', none)).body.changes, []);
  });

  test('every write makes another revision, and proposing none', async () => {
    const other = await rest.newSession();
    const revision = async () =>
      (await rest.call('GET', `/sessions/${other}/diff/outline`)).body.revision;
    const seen = [await revision()];
    await rest.write(other, 'UPDATE products SET stock = 1 WHERE id = 1');
    seen.push(await revision());
    await rest.write(other, 'UPDATE products SET stock = 2 WHERE id = 1');
    seen.push(await revision());
    await rest.call('POST', `/sessions/${other}/propose`);
    assert.is(await revision(), seen.at(-1));
    const page = await rest.call('GET', `/sessions/${other}/diff/changes?table=products`);
    assert.is(page.body.revision, seen.at(-1));
    assert.is(new Set(seen).size, 3);
  });

  test('an approved session has the same pages', async () => {
    const other = await rest.newSession();
    await rest.write(other, `UPDATE products SET stock = stock + 1`);
    const path = `/sessions/${other}/diff`;
    const read = async () => {
      const { tables } = (await rest.call('GET', `${path}/outline`)).body;
      const page = (await rest.call('GET', `${path}/changes?table=products&limit=3`)).body;
      return { tables, changes: page.changes, next: page.next_cursor };
    };
    const before = await read();
    await rest.call('POST', `/sessions/${other}/propose`);
    assert.is((await rest.call('POST', `/sessions/${other}/approve`)).status, 200);
    assert.equal(await read(), before);
    assert.is(before.changes.length, 3);
  });

  test('a table without changes has none', async () => {
    const page = await get('diff/changes?table=nowhere');
    assert.equal([page.changes, page.next_cursor], [[], null]);
  });

  for (const query of ['', 'table=a&cursor=x', 'table=a&cursor=-1', 'table=a&type=update']) {
    test(`refuses ?${query}`, async () => {
      const answer = await rest.call('GET', `/sessions/${id}/diff/changes?${query}`);
      assert.equal([answer.status, answer.body.error], [400, 'invalid_request']);
    });
  }

  test('rows of great length make short pages', async () => {
    const other = await rest.newSession();
    await rest.write(
      other,
      `INSERT INTO customers (email, name) SELECT n || '@long', repeat('y', 1000000) FROM generate_series(1, 10) n`,
    );
    const lengths: number[] = [];
    for (let cursor: string | null = '0'; cursor !== null; ) {
      const path = `/sessions/${other}/diff/changes?table=customers&cursor=${cursor}`;
      const { body } = await rest.call('GET', path);
      lengths.push(body.changes.length);
      cursor = body.next_cursor;
    }
    assert.equal(lengths, [4, 4, 2]);
  });
});
