/** Changes while a connection is open: tables whose names it has cached, and rows that its statements use. */
import type pg from 'pg';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';
import { b, d, e, h, inWords, p, run, s } from '../helpers/wire-script.ts';

const schema = `
CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL, amount int NOT NULL DEFAULT 0);
INSERT INTO item SELECT g, 'item ' || g, g FROM generate_series(1, 5) g;
CREATE SCHEMA other;
CREATE TABLE other.item (id int PRIMARY KEY, name text NOT NULL, amount int NOT NULL DEFAULT 0);
INSERT INTO other.item VALUES (1, 'other', 1);
`;

suite('a table changes under a connection', (test) => {
  let proxied: Proxied;
  let client: pg.Client;
  let changes = 0;
  /** Makes the overlay outdated. */
  const change = async () => {
    changes += 1;
    await proxied.database.query(`ALTER TABLE item ALTER COLUMN amount SET DEFAULT ${changes}`);
  };
  /** Adds a column to a table that has an overlay, but no staged rows. */
  const addColumn = async (table: string) => {
    await proxied.database.query(`CREATE TABLE ${table} (id int PRIMARY KEY)`);
    await client.query(`BEGIN; INSERT INTO ${table} VALUES (1); ROLLBACK`);
    await proxied.database.query(`ALTER TABLE ${table} ADD COLUMN extra int`);
  };
  test.before(async () => {
    proxied = await startProxied(schema);
    client = await proxied.connect(await proxied.session('staged'));
    await client.query('UPDATE item SET amount = 1 WHERE id = 1');
  });
  test.after(() => proxied.stop());

  test('a table without a key gets a column', async () => {
    const { database } = proxied;
    await database.query('CREATE TABLE bare (v int); INSERT INTO bare VALUES (1)');
    const other = await proxied.connect(await proxied.session('staged'));
    await other.query('UPDATE bare SET v = 2');
    await database.query('ALTER TABLE bare ADD COLUMN w int DEFAULT 7');
    await client.query('UPDATE bare SET v = v + w');
    assert.equal((await client.query('SELECT * FROM bare')).rows, [{ v: 8, w: 7 }]);
    assert.is((await rejects(other.query('INSERT INTO bare VALUES (3)'))).code, '55006');
  });

  test('a table behind a view gets a rule', async () => {
    const { database } = proxied;
    await database.query(
      'CREATE TABLE ruled (id int PRIMARY KEY); CREATE VIEW rules AS SELECT id FROM ruled',
    );
    const staging = await proxied.session('staged');
    const [one, other] = [await proxied.connect(staging), await proxied.connect(staging)];
    await one.query('INSERT INTO rules VALUES (1)');
    await database.query('CREATE RULE quiet AS ON DELETE TO ruled DO INSTEAD NOTHING');
    assert.is((await rejects(other.query('SELECT * FROM rules'))).code, '0A000');
    assert.is((await rejects(other.query('DELETE FROM rules'))).code, '0A000');
  });

  test('a table that is remade as a view', async () => {
    const { database } = proxied;
    await database.query('CREATE TABLE remade (id int PRIMARY KEY)');
    const named = { name: 'remade', text: 'SELECT * FROM remade ORDER BY 1' };
    await client.query('INSERT INTO remade VALUES (1)');
    assert.equal((await client.query(named)).rows, [{ id: 1 }]);
    await database.query(
      'DROP TABLE remade; CREATE VIEW remade AS SELECT id, amount AS extra FROM item WHERE id = 5',
    );
    assert.equal(
      (await client.query('SELECT extra FROM remade WHERE public.remade.extra > 0')).rows,
      [{ extra: 5 }],
    );
    // the statement was prepared with one column
    assert.is((await rejects(client.query(named))).code, '0A000');
    assert.equal((await client.query(named.text)).rows, [{ id: 5, extra: 5 }]);
    assert.equal((await client.query('SELECT extra FROM remade WHERE id = $1', [5])).rows, [
      { extra: 5 },
    ]);
    await client.query('UPDATE remade SET extra = 55');
    await database.query('DROP VIEW remade; CREATE TABLE remade (extra text PRIMARY KEY)');
    assert.equal((await client.query('SELECT extra FROM remade')).rows, []);
    assert.is((await client.query(`INSERT INTO remade VALUES ('x')`)).rowCount, 1);
  });

  test('partitions of partitions that come and go', async () => {
    const { database, daemon } = proxied;
    await database.query(`CREATE TABLE deep (k int, n int, v text, PRIMARY KEY (k, n)) PARTITION BY LIST (k);
      CREATE TABLE deep_1 PARTITION OF deep FOR VALUES IN (1) PARTITION BY RANGE (n);
      CREATE TABLE deep_a PARTITION OF deep_1 FOR VALUES FROM (0) TO (10); CREATE TABLE deep_b (n int NOT NULL, k int NOT NULL, v text)`);
    const session = await daemon.newSession();
    const settle = async (by: string) => {
      await daemon.call('POST', `/sessions/${by}/propose`);
      return daemon.call('POST', `/sessions/${by}/approve`);
    };
    const staging = await proxied.connect(daemon.clientUrl(session));
    await staging.query(`INSERT INTO deep VALUES (1, 2, 'staged')`);
    assert.is((await rejects(staging.query('INSERT INTO deep VALUES (1, 12)'))).code, '23514');
    await database.query('ALTER TABLE deep_1 ATTACH PARTITION deep_b FOR VALUES FROM (10) TO (20)');
    await staging.query(`INSERT INTO deep VALUES (1, 12, 'placed')`);
    assert.is((await settle(session)).status, 200);

    const second = await daemon.newSession();
    const late = await proxied.connect(daemon.clientUrl(second));
    await late.query(`UPDATE deep SET v = 'x' WHERE n = 12; INSERT INTO deep VALUES (1, 13)`);
    await database.query('ALTER TABLE deep_1 DETACH PARTITION deep_b');
    assert.is((await rejects(late.query('INSERT INTO deep VALUES (1, 14)'))).code, '23514');
    const refused = await settle(second);
    assert.is(refused.status, 409, JSON.stringify(refused.body));
    assert.is((await database.query('SELECT FROM deep')).length, 1);
  });

  test('a Query is run again, unseen', async () => {
    await addColumn('wider');
    const { rows } = await client.query('INSERT INTO wider VALUES (1, 7) RETURNING extra');
    assert.is(rows[0].extra, 7);
  });

  test('so is a batch, whose statement cannot even be parsed before', async () => {
    await addColumn('wider_still');
    const insert = 'INSERT INTO wider_still VALUES (1, $1) RETURNING extra';
    assert.is((await client.query(insert, [8])).rows[0].extra, 8);
  });

  test('so is a statement prepared before', async () => {
    const named = {
      name: 'kept',
      text: 'UPDATE item SET amount = $1 WHERE id = $2 RETURNING amount',
    };
    await client.query({ ...named, values: [1, 2] });
    await change();
    const { rows, rowCount } = await client.query({ ...named, values: [9, 2] });
    assert.equal([rows, rowCount], [[{ amount: 9 }], 1]);
  });

  test('in one message the block is run again only from its first write', async () => {
    await change();
    await client.query(
      'UPDATE item SET amount = 10 WHERE id = 3; UPDATE item SET amount = amount + 1 WHERE id = 3',
    );
    const { rows } = await client.query('SELECT amount FROM item WHERE id = 3');
    assert.is(rows[0].amount, 11);
  });

  test('each answer comes once', async () => {
    const url = await proxied.session('staged');
    const wire = await proxied.wire(url);
    const update = 'UPDATE item SET amount = $1 WHERE id = 1 RETURNING amount';
    wire.send(p(update, 'w'), d('statement', 'w'), s, b(['1'], 'w'), d(), e(), s);
    await wire.readTo('Z'.charCodeAt(0), 2);
    await change();
    wire.send(b(['2'], 'w'), d(), e(), run('SELECT 1'), s);
    const types = (await wire.readTo('Z'.charCodeAt(0))).map((message) => inWords(message)[0]);
    assert.is(types.join(''), '2TDC12TDCZ');
  });

  test('in a transaction that has run something the client is told to retry it, and then it works', async () => {
    const update = 'UPDATE item SET amount = amount + 1 WHERE id = 4';
    await change();
    await client.query(`BEGIN; ${update}; COMMIT`);
    // the check for user-defined objects may notice the change first, and then the block goes on
    let code = '';
    for (let tries = 0; code !== '40001' && tries < 5; tries += 1) {
      // an update that went on has locked the table
      await client.query('ROLLBACK');
      await change();
      await client.query('BEGIN; SELECT 1');
      code = await client.query(update).then(String, (error) => error.code);
    }
    assert.is(code, '40001');
    assert.is((await rejects(client.query('SELECT 1'))).code, '25P02');
    await client.query(`ROLLBACK; BEGIN; ${update}; COMMIT`);
    const { rows } = await client.query('SELECT amount FROM item WHERE id = 4');
    assert.is(rows[0].amount, 6);
  });

  test('a batch that already gave an answer cannot be run again', async () => {
    const url = await proxied.session('staged');
    const wire = await proxied.wire(url);
    await addColumn('second');
    const first = run('UPDATE item SET amount = 1 WHERE id = 1');
    const second = run('INSERT INTO second VALUES (1, 2)');
    wire.send(run('INSERT INTO second VALUES (1)'), s);
    await wire.readTo('Z'.charCodeAt(0));
    wire.send(first, h);
    await wire.readTo('C'.charCodeAt(0));
    await proxied.database.query('ALTER TABLE second ALTER COLUMN extra SET DEFAULT 3');
    wire.send(second, s);
    const answers = (await wire.readTo('Z'.charCodeAt(0))).map(inWords);
    assert.match(answers.join('\n'), /C=40001.*\nZ I/);
  });

  test('a table that goes, and one that comes', async () => {
    await proxied.database.query('CREATE TABLE fleeting (id int PRIMARY KEY)');
    await client.query('INSERT INTO fleeting VALUES (1)');
    await proxied.database.query('DROP TABLE fleeting');
    assert.is((await rejects(client.query('INSERT INTO fleeting VALUES (2)'))).code, '42P01');
    assert.is((await rejects(client.query('INSERT INTO coming VALUES (2)'))).code, '42P01');
    await proxied.database.query('CREATE TABLE coming (id int PRIMARY KEY)');
    assert.is((await client.query('INSERT INTO coming VALUES ($1)', [2])).rowCount, 1);
  });

  test('the search path decides which table is meant, whoever sets it', async () => {
    const amount = async (name: string) =>
      (await client.query(`SELECT amount FROM ${name} WHERE id = 1`)).rows[0].amount;
    await client.query('UPDATE item SET amount = 20 WHERE id = 1');
    await client.query('SET search_path = other');
    await client.query('UPDATE item SET amount = 21 WHERE id = 1');
    await client.query(
      'BEGIN; SET LOCAL search_path = public; UPDATE item SET amount = 22 WHERE id = 1; COMMIT',
    );
    await client.query('UPDATE item SET amount = amount + 10 WHERE id = 1');
    assert.equal([await amount('public.item'), await amount('other.item')], [22, 31]);
    await client.query(`SELECT set_config('search_path', 'public', false)`);
    await client.query('UPDATE item SET amount = amount + 10 WHERE id = 1');
    assert.equal([await amount('public.item'), await amount('other.item')], [32, 31]);
    await client.query('SET search_path = public');
  });

  test('a table that refers to the one that is written', async () => {
    await proxied.database.query(
      `CREATE TABLE above (id int PRIMARY KEY);
       CREATE TABLE below (id int DEFAULT 0 REFERENCES above ON DELETE SET DEFAULT);
       INSERT INTO above VALUES (0), (1), (2); INSERT INTO below VALUES (2)`,
    );
    await client.query('DELETE FROM above WHERE id = 2');
    await proxied.database.query('ALTER TABLE below ALTER id SET DEFAULT 1');
    await client.query('DELETE FROM above WHERE id = 0');
    assert.equal((await client.query('SELECT id FROM below')).rows, [{ id: 1 }]);
  });
});

suite('two connections of a session write the same row', (test) => {
  let proxied: Proxied;
  let one: pg.Client;
  let other: pg.Client;
  const waiting = () =>
    until(async () => {
      const [row] = await proxied.database.query<{ n: string }>(
        `SELECT count(*) AS n FROM pg_locks WHERE NOT granted`,
      );
      return Number(row?.n) > 0;
    });
  test.before(async () => {
    proxied = await startProxied(schema);
    const url = await proxied.session('staged');
    one = await proxied.connect(url);
    other = await proxied.connect(url);
    await one.query('UPDATE item SET amount = 0');
  });
  test.after(() => proxied.stop());

  const statements = {
    'by a Query': () =>
      other.query(`UPDATE item SET name = name || 'B' WHERE id = 1 RETURNING name`),
    'with parameters': () =>
      other.query(`UPDATE item SET name = name || $1 WHERE id = $2 RETURNING name`, ['B', 1]),
  };
  for (const [name, write] of Object.entries(statements)) {
    test(`the second waits, and sees the first: ${name}`, async () => {
      await one.query(`UPDATE item SET name = 'start' WHERE id = 1`);
      await one.query('BEGIN');
      await one.query(`UPDATE item SET name = name || 'A' WHERE id = 1`);
      const second = write();
      await waiting();
      await one.query('COMMIT');
      assert.is((await second).rows[0].name, 'startAB');
    });
  }

  test('in a transaction the second waits and goes on', async () => {
    await one.query('BEGIN');
    await one.query(`UPDATE item SET amount = 1 WHERE id = 2`);
    await other.query('BEGIN');
    const second = other.query(`UPDATE item SET amount = amount + 1 WHERE id = 2 RETURNING amount`);
    await waiting();
    await one.query('COMMIT');
    assert.equal((await second).rows, [{ amount: 2 }]);
    await other.query('ROLLBACK');
  });

  test('a row that the first deleted is not updated', async () => {
    await one.query('BEGIN');
    await one.query('DELETE FROM item WHERE id = 3');
    const second = other.query('UPDATE item SET amount = 2 WHERE id = 3');
    await waiting();
    await one.query('COMMIT');
    assert.is((await second).rowCount, 0);
  });

  test('overlays that another connection makes are seen at once', async () => {
    await proxied.database.query('CREATE TABLE late (id int PRIMARY KEY)');
    assert.is((await one.query('SELECT FROM late')).rowCount, 0);
    await other.query('INSERT INTO late VALUES (1)');
    assert.is((await one.query('SELECT FROM late')).rowCount, 1);
    assert.is((await one.query('SELECT FROM late WHERE id = $1', [1])).rowCount, 1);
  });
});
