/** Inheritance trees: whose rights and policies apply, MERGE, what is refused, and trees that change. */
import { approveStories } from '../helpers/alike.ts';
import { assertSameAs, createRole, testRole } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const [writer, reader] = [testRole('writer'), testRole('reader')];
const { schema: trees, steps } = await readStories('proxy/inheritance-changes.sql');
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
    for (const { query } of [proxied.database, proxied.twin]) await query(trees + schema);
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

  approveStories(test, () => proxied, steps);
});
