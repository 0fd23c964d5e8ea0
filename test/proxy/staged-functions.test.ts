/** Functions that a staged read calls read staged rows, too, where their bodies show what they do. */
import { runStories } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { q, run, runScript } from '../helpers/wire-script.ts';

const schema = `
CREATE TABLE orders (id int PRIMARY KEY, customer int NOT NULL, amount numeric NOT NULL, note text);
INSERT INTO orders VALUES (1, 7, 10, 'a'), (2, 7, 20, 'b'), (3, 8, 40, NULL);
CREATE TABLE "Größe ""x""" (id int PRIMARY KEY, "Wert" int);
INSERT INTO "Größe ""x""" VALUES (1, 1);
CREATE VIEW big AS SELECT * FROM orders WHERE amount >= 20;
CREATE FUNCTION total() RETURNS numeric LANGUAGE sql STABLE AS 'SELECT sum(amount) FROM orders';
CREATE FUNCTION total(who int) RETURNS numeric LANGUAGE sql STABLE AS 'SELECT sum(o.amount) FROM orders o WHERE o.customer = total.who';
CREATE FUNCTION qualified() RETURNS numeric LANGUAGE sql STABLE AS 'SELECT sum(public.orders.amount) FROM public.orders';
CREATE FUNCTION wholly() RETURNS numeric LANGUAGE sql VOLATILE AS 'SELECT 1; SELECT sum(amount) FROM orders';
CREATE FUNCTION settled() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT count(*) FROM orders';
CREATE FUNCTION orders_of(who int) RETURNS SETOF orders LANGUAGE sql STABLE AS 'SELECT * FROM orders WHERE customer = who ORDER BY id';
CREATE FUNCTION first_of(who int) RETURNS orders LANGUAGE sql STABLE AS 'SELECT * FROM orders WHERE customer = who ORDER BY id LIMIT 1';
CREATE FUNCTION table_of(who int) RETURNS TABLE (id int, amount numeric) LANGUAGE sql STABLE AS
  'SELECT o.id, o.amount FROM orders o WHERE o.customer = who ORDER BY 1';
CREATE FUNCTION twice() RETURNS numeric LANGUAGE sql STABLE AS 'SELECT 2 * total() + total(7)';
CREATE FUNCTION size_of() RETURNS int LANGUAGE sql STABLE AS 'SELECT sum("Wert")::int FROM "Größe ""x"""';
CREATE FUNCTION "Zähl ""mich"""() RETURNS int LANGUAGE plpgsql STABLE AS 'BEGIN RETURN (SELECT sum("Wert") FROM "Größe ""x"""); END';
CREATE FUNCTION behind_view() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM big';
CREATE FUNCTION with_default(who int DEFAULT 7, VARIADIC more int[] DEFAULT '{}') RETURNS numeric LANGUAGE sql STABLE AS
  'SELECT sum(amount) FROM orders WHERE customer = who OR customer = ANY (more)';
CREATE FUNCTION pl_total(who int) RETURNS numeric LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_sum numeric := 0;  -- FROM orders
  v_row orders%ROWTYPE;
  v_count int := (SELECT count(*) FROM orders);
  c CURSOR FOR SELECT amount FROM orders WHERE customer = who;
BEGIN
  SELECT coalesce(sum(amount), 0) INTO v_sum FROM orders WHERE customer = who;
  FOR v_row IN SELECT * FROM orders WHERE customer = who LOOP
    v_row.amount := v_row.amount + 1;
    v_sum := v_sum + v_row.amount;
  END LOOP;
  IF EXISTS (SELECT FROM orders WHERE note = 'staged') THEN v_sum := v_sum + (SELECT count(*) FROM orders); END IF;
  PERFORM 1 FROM orders WHERE id = 99;
  IF FOUND THEN v_sum := -v_sum; END IF;
  FOR v_other IN c LOOP v_sum := v_sum + v_other.amount; END LOOP;
  PERFORM total();
  RETURN v_sum * 1000 + v_count;
EXCEPTION WHEN division_by_zero THEN RETURN (SELECT min(id) FROM orders);
END $$;
CREATE FUNCTION pl_orders(who int) RETURNS SETOF orders LANGUAGE plpgsql STABLE AS $$
DECLARE r orders;
BEGIN
  RETURN QUERY SELECT * FROM orders WHERE customer = who ORDER BY id;
  FOR r IN SELECT * FROM orders WHERE customer <> who ORDER BY id LOOP RETURN NEXT r; END LOOP;
END $$;
CREATE FUNCTION pl_table() RETURNS TABLE (who int, spent numeric) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT o.customer, sum(o.amount) FROM orders o GROUP BY 1 ORDER BY 1;
END $$;
CREATE FUNCTION pl_count(n int) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  CASE WHEN n > 0 THEN RETURN (SELECT count(*) FROM orders) + total(7); ELSE RAISE EXCEPTION 'only % orders', (SELECT count(*) FROM orders); END CASE;
END $$;
CREATE FUNCTION definer() RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER AS 'SELECT count(*) FROM orders';
CREATE FUNCTION pinned() RETURNS bigint LANGUAGE sql STABLE SET work_mem = '1MB' AS 'SELECT count(*) FROM orders';
CREATE FUNCTION dynamic() RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE n bigint; BEGIN EXECUTE concat('SELECT count(*) FROM orders') INTO n; RETURN n; END $$;
CREATE FUNCTION to_itself(n int) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN RETURN CASE WHEN n > 0 THEN to_itself(n - 1) ELSE (SELECT count(*) FROM orders) END; END $$;
CREATE FUNCTION described(o orders) RETURNS text LANGUAGE sql STABLE AS $$SELECT o.id || ' of ' || (SELECT count(*) FROM orders)$$;
CREATE VIEW counted AS SELECT settled() AS n, (SELECT count(*) FROM orders) AS m;
CREATE FUNCTION add_order() RETURNS bigint LANGUAGE sql AS 'INSERT INTO orders VALUES (99, 1, 1); SELECT count(*) FROM orders';
CREATE FUNCTION pl_add_order() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN INSERT INTO orders VALUES (99, 1, 1); RETURN (SELECT count(*) FROM orders); END $$;
CREATE SCHEMA a; CREATE SCHEMA b;
CREATE TABLE a.item (id int PRIMARY KEY); CREATE TABLE b.item (id int PRIMARY KEY);
INSERT INTO a.item VALUES (1); INSERT INTO b.item VALUES (1), (2);
SET check_function_bodies = off;
CREATE FUNCTION items() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM item';
CREATE FUNCTION a.label() RETURNS text LANGUAGE sql STABLE AS $$SELECT 'a' || count(*) FROM a.item$$;
CREATE FUNCTION b.label() RETURNS text LANGUAGE sql STABLE AS $$SELECT 'b' || count(*) FROM b.item$$;
`;

const changes = [
  `INSERT INTO orders VALUES (4, 7, 100, 'staged'), (6, 9, 50, NULL)`,
  `UPDATE orders SET amount = 5 WHERE id = 1`,
  `DELETE FROM orders WHERE id = 3`,
  `INSERT INTO "Größe ""x""" VALUES (2, 40)`,
];

const calls: Readonly<Record<string, string>> = {
  'without a table in the statement': 'SELECT total()',
  'overloaded, with arguments': 'SELECT total(7), total(who => 8)',
  'with qualified names': 'SELECT qualified()',
  'qualified themselves': 'SELECT public.total(), public . "total"(7)',
  'of several statements': 'SELECT wholly()',
  immutable: 'SELECT settled()',
  'giving rows': 'SELECT * FROM orders_of(7)',
  'giving rows, in the list': 'SELECT id, (orders_of(customer)).amount FROM orders ORDER BY 1, 2',
  'giving one row': 'SELECT (f).note, f FROM first_of(7) f',
  'giving a table':
    'SELECT t.id, table_of.amount FROM table_of(7) t(id), LATERAL table_of(8) UNION SELECT * FROM table_of(7)',
  'calling functions': 'SELECT twice()',
  'calling themselves': 'SELECT to_itself(2)',
  'with quoted names': 'SELECT size_of(), "Zähl ""mich"""()',
  'reading a view': 'SELECT behind_view(), count(*) FROM big',
  'with defaults': 'SELECT with_default(), with_default(8), with_default(7, 8)',
  'in WHERE':
    'SELECT id FROM orders o WHERE amount > total(customer) / 3 ORDER BY total() - amount',
  'in a sub-select and a WITH query':
    'WITH t AS (SELECT total() AS t) SELECT (SELECT total(7)), t FROM t',
  'in PL/pgSQL': 'SELECT pl_total(7), pl_total(8)',
  'in PL/pgSQL, giving rows': 'SELECT * FROM pl_orders(7)',
  'in PL/pgSQL, giving a table': 'SELECT * FROM pl_table()',
  'in PL/pgSQL, volatile': 'SELECT pl_count(1)',
  'raising an error': 'SELECT pl_count(0)',
  'that are not there': `SELECT total('x', 1)`,
  'beside their like of the server': 'SELECT sum(total()), max(amount) FROM orders',
};

suite('functions in staged reads', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  runStories(
    test,
    () => proxied,
    Object.fromEntries(
      Object.entries(calls).map(([name, call]) => [name, [call, ...changes, call, call]]),
    ),
  );

  runStories(test, () => proxied, {
    'in prepared statements, before and after the first staged row': [
      'PREPARE p (int) AS SELECT total(), total($1), pl_total($1)',
      'EXECUTE p (7)',
      ...changes,
      'EXECUTE p (7)',
      'DELETE FROM orders',
      'EXECUTE p (7)',
      'DEALLOCATE p',
    ],
    'in cursors': [
      ...changes,
      'DECLARE c CURSOR FOR SELECT id, total(customer), pl_total(customer) FROM orders ORDER BY id',
      'FETCH 1 FROM c',
      'FETCH ALL FROM c',
      'DECLARE d CURSOR FOR SELECT * FROM pl_orders(7)',
      'FETCH 2 FROM d',
      'CLOSE d',
    ],
    'under a search path, and another one': [
      'INSERT INTO a.item VALUES (10), (11)',
      'INSERT INTO b.item VALUES (10)',
      'SET LOCAL search_path = a, public',
      'SELECT items(), label(), b.label()',
      'SET LOCAL search_path = b, a, public',
      'SELECT items(), b.label(), a.label()',
      'SHOW search_path',
      'SELECT items(), current_schemas(true), current_schema()',
      `SELECT set_config('search_path', 'a, public', true)`,
      'SELECT items(), label()',
      'SET LOCAL search_path = public',
      'SELECT items()',
    ],
    'without anything staged': Object.values(calls),
  });

  test('what cannot be followed reads production', async () => {
    const client = await proxied.connect(await proxied.session('staged'));
    for (const change of changes) await client.query(change);
    await client.query(`INSERT INTO orders VALUES (5, 7, 1)`);
    for (const call of ['definer()', 'pinned()', 'dynamic()', '(SELECT n FROM counted)']) {
      const query = { text: `SELECT ${call}`, rowMode: 'array' as const };
      const { rows } = await client.query(query);
      const [direct] = await proxied.twin.query<{ x: unknown }>(`SELECT ${call} AS x`);
      assert.equal(rows, [[direct?.x]], call);
    }
  });

  test('functions that write stage, and production stays as it is', async () => {
    const client = await proxied.connect(await proxied.session('staged'));
    const before = await proxied.contents();
    for (const call of ['add_order()', 'pl_add_order()', 'total() + add_order()']) {
      await client.query('BEGIN');
      await client.query(`UPDATE orders SET note = 'x' WHERE id = 1`);
      assert.is((await client.query(`SELECT ${call}`)).rowCount, 1, call);
      assert.is((await client.query('SELECT * FROM orders')).rowCount, 4, call);
      await client.query('ROLLBACK');
    }
    assert.is((await client.query('SELECT * FROM orders')).rowCount, 3);
    assert.equal(await proxied.contents(), before);
  });

  test('transactions, portals read in parts, COPY, pipelines', async () => {
    const url = await proxied.session('staged');
    const client = await proxied.connect(url);
    const total = async () => (await client.query('SELECT total() AS n')).rows[0].n;
    const named = async () =>
      (await client.query({ name: 'n', text: 'SELECT total($1) AS n', values: [7] })).rows[0].n;
    assert.equal([await total(), await named()], ['70', '30']);
    await client.query('BEGIN');
    await client.query('DELETE FROM orders WHERE id = 1');
    assert.equal([await total(), await named()], ['60', '20']);
    await client.query('SAVEPOINT s');
    await client.query('DELETE FROM orders WHERE id = 2');
    assert.equal([await total(), await named()], ['40', null]);
    await client.query('ROLLBACK TO s');
    assert.equal([await total(), await named()], ['60', '20']);
    await client.query('ROLLBACK');
    assert.equal([await total(), await named()], ['70', '30']);
    await client.query(`INSERT INTO orders VALUES (4, 7, 100), (5, 7, 1)`);
    const parts = { text: 'SELECT id FROM orders_of($1)', values: [7], rows: 1 };
    assert.equal(
      (await client.query<{ id: number }>(parts)).rows.map(({ id }) => id),
      [1, 2, 4, 5],
    );
    const [several] = await Promise.all([total(), client.query('SELECT 1 / 0').catch(() => 0)]);
    assert.is(several, '171');
    const heard = await runScript(url, [
      q('COPY (SELECT total()) TO STDOUT'),
      q('SELECT 1; SELECT total()'),
      run('SELECT total()'),
      run('SELECT 1 / (total() - $1)::int', '171'),
      run('SELECT total()'),
    ]);
    assert.is(heard.filter((message) => message.includes('171')).length, 3);
  });

  test('functions that change, and tables that do', async () => {
    const client = await proxied.connect(await proxied.session('staged'));
    const { database } = proxied;
    await database.query(`CREATE TABLE brief (id int PRIMARY KEY, n int);
      CREATE FUNCTION brief_sum() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT sum(n) FROM brief';
      CREATE FUNCTION briefs() RETURNS SETOF brief LANGUAGE sql STABLE AS 'SELECT * FROM brief'`);
    await client.query('INSERT INTO brief VALUES (1, 10), (2, 20)');
    const value = async (text: string) =>
      Object.values((await client.query<Record<string, unknown>>(text)).rows[0] ?? {})[0];
    assert.is(await value('SELECT brief_sum()'), '30');
    assert.equal(await value('SELECT (briefs()).n'), 10);
    await database.query(
      `CREATE OR REPLACE FUNCTION brief_sum() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT -sum(n) FROM brief'`,
    );
    assert.is(await value('SELECT brief_sum()'), '-30');
    await database.query("ALTER TABLE brief ADD COLUMN more text DEFAULT 'm'");
    assert.is(await value('SELECT (briefs()).more'), 'm');
    await database.query('ALTER TABLE brief RENAME COLUMN n TO m');
    assert.is((await rejects(client.query('SELECT brief_sum()'))).code, '42703');
    await database.query(
      'ALTER TABLE brief RENAME COLUMN m TO n; ALTER TABLE brief RENAME TO long',
    );
    assert.is((await rejects(client.query('SELECT brief_sum()'))).code, '42P01');
    await database.query('ALTER TABLE long RENAME TO brief');
    assert.is(await value('SELECT brief_sum()'), '-30');
    await database.query('DROP FUNCTION brief_sum(), briefs(); DROP TABLE brief');
    assert.is((await rejects(client.query('SELECT brief_sum()'))).code, '42883');
    await client.query('SELECT * FROM big');
    await database.query('DELETE FROM stage.staged_view');
    await client.query('SELECT * FROM big');
    const left = `SELECT FROM stage.staged_function WHERE name LIKE 'brief%'`;
    assert.equal(await database.query(left), [], 'gone when something is made again');
  });

  test('a snapshot older than what stands for a function does not hide that it does', async () => {
    const client = await proxied.connect(await proxied.session('staged'));
    await proxied.database.query(
      `CREATE FUNCTION late() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM orders'`,
    );
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await client.query('DELETE FROM orders');
    assert.is((await rejects(client.query('SELECT late()'))).code, '40001');
    await client.query('ROLLBACK');
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await client.query('DELETE FROM orders');
    assert.equal((await client.query('SELECT late()')).rows, [{ late: '0' }]);
    await client.query('ROLLBACK');
  });
});
