/** Inheritance trees: whose rights and policies count, MERGE, what is refused, and trees that change. */
import { assertSameAs, createRole, outcomeOf, testRole } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const [writer, reader] = [testRole('writer'), testRole('reader')];
const everyone = [writer, reader].map(({ name }) => name).join(', ');

const schema = `
CREATE TABLE item (id int PRIMARY KEY, name text, secret text);
CREATE TABLE special (code text PRIMARY KEY) INHERITS (item);
INSERT INTO item VALUES (1, 'one', 's'); INSERT INTO special VALUES (2, 'two', 's', 'c');
GRANT SELECT, DELETE, UPDATE (name) ON item TO ${writer.name}; GRANT SELECT ON item TO ${reader.name};
CREATE TABLE doc (id int PRIMARY KEY, who text, body text CHECK (body <> 'bad'));
CREATE TABLE note (page int) INHERITS (doc);
CREATE TABLE sealed () INHERITS (doc);
ALTER TABLE doc ENABLE ROW LEVEL SECURITY; ALTER TABLE sealed ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON doc USING (who = current_user);
INSERT INTO doc VALUES (1, '${writer.name}', 'w'), (2, 'else', 'e');
INSERT INTO note VALUES (3, '${writer.name}', 'w', 1), (4, 'else', 'e', 2);
INSERT INTO sealed VALUES (5, '${writer.name}', 'w'), (6, 'else', 'e');
GRANT ALL ON doc, sealed TO ${writer.name}; GRANT SELECT ON note TO ${writer.name};
CREATE TABLE stock (id int PRIMARY KEY, n int); CREATE TABLE stock_old (since date) INHERITS (stock);
INSERT INTO stock VALUES (1, 10); INSERT INTO stock_old VALUES (2, 20, '2020-01-01'), (2, 21, NULL);
CREATE TABLE ruled (id int PRIMARY KEY); CREATE TABLE ruled_child () INHERITS (ruled);
CREATE RULE quiet AS ON DELETE TO ruled_child DO INSTEAD NOTHING;
INSERT INTO ruled VALUES (1); INSERT INTO ruled_child VALUES (2);
CREATE TABLE line (id int PRIMARY KEY); CREATE TABLE line_1 (PRIMARY KEY (id)) INHERITS (line);
CREATE TABLE line_2 (id int PRIMARY KEY); INSERT INTO line VALUES (1); INSERT INTO line_1 VALUES (2); INSERT INTO line_2 VALUES (3);
`;

const rights: Record<string, readonly string[]> = {
  "rights on the parent suffice for children's rows": [
    'SELECT * FROM item',
    'SELECT * FROM special',
    `UPDATE item SET name = name || 'x' RETURNING *`,
    `UPDATE item SET secret = 'x'`,
    `UPDATE special SET name = 'x'`,
    `INSERT INTO item VALUES (3)`,
    'SELECT * FROM item',
    'DELETE FROM item WHERE id = 2 RETURNING *',
    'SELECT * FROM item',
  ],
  "the parent's policies govern what is reached through it": [
    'SELECT * FROM doc',
    'SELECT * FROM note',
    'SELECT * FROM sealed',
    `UPDATE doc SET body = body || 'x' RETURNING *`,
    `UPDATE doc SET who = 'else' WHERE id = 3`,
    `UPDATE doc SET body = 'bad' WHERE id = 3`,
    `UPDATE sealed SET body = 'y'`,
    `INSERT INTO doc VALUES (7, 'else', 'x')`,
    `INSERT INTO doc VALUES (7, '${writer.name}', 'x') RETURNING *`,
    'SELECT * FROM doc',
    'DELETE FROM doc RETURNING id',
    'SELECT * FROM doc',
    'SELECT * FROM ONLY doc',
  ],
};

suite('rights on inheritance trees', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied('SELECT 1');
    await proxied.database.query([writer, reader].map((role) => createRole(role)).join(''));
    for (const database of [proxied.database, proxied.twin]) await database.query(schema);
  });
  test.after(async () => {
    for (const database of [proxied.twin, proxied.database]) {
      await database.query(`DROP OWNED BY ${everyone}`);
    }
    await proxied.database.query(`DROP ROLE ${everyone}`);
    await proxied.stop();
  });

  for (const [name, statements] of Object.entries(rights)) {
    test(name, async () => {
      const session = await proxied.daemon.newSession({ reads: 'staged' });
      await assertSameAs(proxied, writer, session, statements);
    });
  }

  test('a role that may only read stages through the parent, and nothing reaches production', async () => {
    const before = await proxied.contents();
    const session = await proxied.daemon.newSession({ reads: 'staged' });
    const url = proxied.daemon.clientUrl(session, reader.name, reader.password);
    const client = await proxied.connect(url);
    assert.is((await client.query(`UPDATE item SET name = 'r'`)).rowCount, 2);
    assert.is((await client.query('DELETE FROM item WHERE id = 2')).rowCount, 1);
    assert.equal((await client.query('SELECT id, name FROM item')).rows, [{ id: 1, name: 'r' }]);
    assert.is((await rejects(client.query('SELECT * FROM special'))).code, '42501');
    assert.is((await rejects(client.query('DELETE FROM special'))).code, '42501');
    assert.equal(await proxied.contents(), before);
    const other = await proxied.daemon.newSession({ reads: 'staged' });
    const foreign = await proxied.connect(
      proxied.daemon.clientUrl(other, reader.name, reader.password),
    );
    assert.is((await foreign.query('SELECT FROM item')).rowCount, 2);
  });

  test('MERGE, where PostgreSQL merges into views', async () => {
    const [row] = await proxied.database.query<{ v: number }>(
      `SELECT current_setting('server_version_num')::int / 10000 AS v`,
    );
    const merge = `MERGE INTO stock s USING (VALUES (1, 5), (2, 7), (3, 9)) v (id, n) ON s.id = v.id
      WHEN MATCHED AND v.n = 5 THEN DELETE WHEN MATCHED THEN UPDATE SET n = s.n + v.n WHEN NOT MATCHED THEN INSERT VALUES (v.id, v.n)`;
    const session = await proxied.daemon.newSession({ reads: 'staged' });
    if ((row?.v ?? 0) >= 17) {
      await assertSameAs(proxied, null, session, [
        merge,
        'SELECT * FROM stock',
        'SELECT * FROM stock_old',
        'MERGE INTO stock s USING generate_series(1, 2) ON s.id = 2 WHEN MATCHED THEN DELETE',
      ]);
      return;
    }
    const client = await proxied.connect(proxied.daemon.clientUrl(session));
    assert.is((await rejects(client.query(merge))).code, '0A000');
    await assertSameAs(proxied, null, session, [
      merge.replace('INTO stock', 'INTO ONLY stock'),
      'SELECT * FROM stock',
    ]);
  });

  test('a child that cannot be staged is read, and stands in the way of writes through its parent', async () => {
    const client = await proxied.connect(await proxied.session('staged'));
    const outcome = JSON.stringify(await outcomeOf(client, 'DELETE FROM ruled'));
    assert.match(
      outcome,
      /0A000.*\\"ruled\\": its rows include those of \\"ruled_child\\", which has rules/,
    );
    assert.is((await client.query('INSERT INTO ruled VALUES (3)')).rowCount, 1);
    assert.is((await client.query('UPDATE ONLY ruled SET id = id + 10')).rowCount, 2);
    assert.equal((await client.query('SELECT id FROM ruled ORDER BY 1')).rows, [
      { id: 2 },
      { id: 11 },
      { id: 13 },
    ]);
  });

  test('children that come and go while a session lives', async () => {
    const session = await proxied.daemon.newSession({ reads: 'staged' });
    const client = await proxied.connect(proxied.daemon.clientUrl(session));
    const ids = async () =>
      (await client.query<{ id: number }>('SELECT id FROM line ORDER BY 1')).rows.map(
        ({ id }) => id,
      );
    await client.query('UPDATE line SET id = id + 10');
    assert.equal(await ids(), [11, 12]);
    await proxied.database.query('ALTER TABLE line_2 INHERIT line');
    assert.equal(await ids(), [3, 11, 12]);
    assert.is((await client.query('UPDATE line SET id = id + 10')).rowCount, 3);
    assert.equal(await ids(), [13, 21, 22]);
    await proxied.database.query('ALTER TABLE line_1 ADD COLUMN extra int DEFAULT 4');
    assert.is((await client.query('UPDATE line SET id = id + 1')).rowCount, 3);
    await proxied.database.query('ALTER TABLE line_1 NO INHERIT line');
    assert.equal(await ids(), [14, 22]);
    assert.is((await client.query('DELETE FROM line WHERE id = 14')).rowCount, 1);
    for (const step of ['propose', 'approve']) {
      const { status, text } = await proxied.daemon.call('POST', `/sessions/${session}/${step}`);
      assert.is(status, 200, text);
    }
    const found = (await proxied.contents()).filter((row) => row.startsWith('line'));
    assert.equal(found, ['line (22)', 'line_1 (23,4)']);
  });

  test('a table behind a view becomes part of a tree', async () => {
    const { database } = proxied;
    await database.query(
      `CREATE TABLE stem (id int PRIMARY KEY); CREATE VIEW stems AS SELECT id FROM stem`,
    );
    const staging = await proxied.session('staged');
    const [one, other] = [await proxied.connect(staging), await proxied.connect(staging)];
    await one.query('INSERT INTO stems VALUES (1); DELETE FROM stem');
    await database.query('CREATE TABLE leaf () INHERITS (stem); INSERT INTO leaf VALUES (2)');
    assert.equal((await other.query('SELECT * FROM stems')).rows, [{ id: 2 }]);
    assert.is((await other.query('DELETE FROM stems')).rowCount, 1);
    assert.equal((await one.query('SELECT * FROM stems')).rows, []);
    await database.query('INSERT INTO leaf VALUES (3); ALTER TABLE leaf NO INHERIT stem');
    await one.query('INSERT INTO stems VALUES (4)');
    assert.equal((await other.query('SELECT * FROM stems')).rows, [{ id: 4 }]);
    assert.equal((await other.query('SELECT * FROM leaf')).rows, [{ id: 3 }]);
    await database.query(
      'CREATE TABLE free (id int PRIMARY KEY); CREATE VIEW frees AS SELECT id FROM free',
    );
    await one.query('BEGIN; INSERT INTO frees VALUES (1); ROLLBACK');
    await database.query('CREATE TABLE freed () INHERITS (free); INSERT INTO freed VALUES (2)');
    assert.equal((await other.query('SELECT * FROM frees')).rows, [{ id: 2 }]);
  });

  test('diff and log name the tables', async () => {
    const session = await proxied.daemon.newSession();
    const client = await proxied.connect(proxied.daemon.clientUrl(session));
    await client.query('UPDATE stock SET n = 0');
    const { text } = await proxied.daemon.call('GET', `/sessions/${session}/diff`);
    assert.match(text, /"stock_old"/);
    const log = await proxied.daemon.call('GET', `/sessions/${session}/mutations`);
    assert.match(log.text, /"table":\s*"stock"/);
    assert.match(log.text, /"affectedRows":\s*3|"affected_rows":\s*3|:3/);
  });
});
