/** Updatable views as targets: whose rights apply, what is refused, and what happens when a definition changes. */
import type pg from 'pg';
import { approveStories } from '../helpers/alike.ts';
import { assertSameAs, createRole, outcomeOf, testRole } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, suite } from '../helpers/suite.ts';

const [writer, owner, reader] = [testRole('writer'), testRole('owner'), testRole('reader')];
const { schema: views, steps } = await readStories('proxy/view-target-changes.sql');
const everyone = [writer, owner, reader].map(({ name }) => name).join(', ');

const schema = `
CREATE TABLE item (id int PRIMARY KEY, name text, price int, secret text);
INSERT INTO item VALUES (1, 'one', 1, 's'), (2, 'two', 2, 's');
CREATE VIEW granted AS SELECT id AS key, name, price FROM item;
CREATE VIEW owned AS SELECT id AS key, name, price FROM item; ALTER VIEW owned OWNER TO ${owner.name};
CREATE VIEW asked WITH (security_invoker) AS SELECT id AS key, name, price FROM item;
CREATE TABLE doc (id int PRIMARY KEY, who text DEFAULT current_user, body text); ALTER TABLE doc ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON doc USING (who = current_user);
INSERT INTO doc VALUES (1, '${writer.name}', 'w'), (2, 'else', 'e');
CREATE VIEW docs WITH (security_invoker) AS SELECT id, body, who FROM doc;
CREATE VIEW all_docs AS SELECT id, body FROM doc;
GRANT SELECT ON item, granted, owned, asked TO ${everyone};
GRANT INSERT (key, name), UPDATE (name) ON granted TO ${writer.name};
GRANT INSERT, UPDATE, DELETE ON owned, asked TO ${writer.name};
GRANT UPDATE (name, price) ON item TO ${owner.name};
GRANT SELECT, INSERT, UPDATE, DELETE ON doc, docs, all_docs TO ${writer.name};
`;

const rights: Record<string, readonly string[]> = {
  'by column of the view': [
    `UPDATE granted SET name = 'x' WHERE key = 1 RETURNING *`,
    `UPDATE granted SET price = 5`,
    `INSERT INTO granted (key, name) VALUES (3, 'three')`,
    `INSERT INTO granted VALUES (4, 'four', 4)`,
    'DELETE FROM granted',
    `INSERT INTO granted (key, name) VALUES (1, 'x') ON CONFLICT (key) DO UPDATE SET price = 7`,
  ],
  "the owner's on the table": [
    `UPDATE owned SET name = 'x', price = 3 WHERE key = 1 RETURNING *`,
    `UPDATE owned SET key = 9 WHERE key = 1`,
    `INSERT INTO owned VALUES (5, 'x', 1)`,
    'DELETE FROM owned',
  ],
  'policies of whoever writes': [
    `UPDATE docs SET body = 'mine' RETURNING id`,
    `INSERT INTO docs VALUES (3, 'x', 'else')`,
    `INSERT INTO docs VALUES (4, 'x') RETURNING *`,
    'DELETE FROM docs RETURNING id',
  ],
};

suite('rights on updatable views', (test) => {
  let proxied: Proxied;
  let client: pg.Client;
  test.before(async () => {
    proxied = await startProxied('SELECT 1');
    await proxied.database.query([writer, owner, reader].map((role) => createRole(role)).join(''));
    for (const { query } of [proxied.database, proxied.twin]) await query(schema + views);
  });
  test.beforeEach(async () => {
    client = await proxied.connect(await proxied.session('staged'));
  });
  test.after(async () => {
    for (const database of [proxied.twin, proxied.database]) {
      await database.query(`DROP OWNED BY ${everyone}`);
    }
    await proxied.database.query(`DROP ROLE ${everyone}`);
    await proxied.stop();
  });
  const refusal = async (statement: string, by = client) =>
    JSON.stringify(await outcomeOf(by, statement));

  for (const [name, statements] of Object.entries(rights)) {
    test(name, async () => {
      const session = await proxied.daemon.newSession({ reads: 'staged' });
      await assertSameAs(proxied, writer, session, statements);
    });
  }

  test('a role that only reads stages; of a view by security_invoker a writer is held to the table', async () => {
    const session = await proxied.daemon.newSession();
    const as = ({ name, password }: typeof reader) =>
      proxied.connect(proxied.daemon.clientUrl(session, name, password));
    await (await as(reader)).query(`UPDATE granted SET price = 7`);
    await (await as(reader)).query(`UPDATE asked SET price = 8`);
    await proxied.database.query(`GRANT UPDATE (name) ON item TO ${writer.name}`);
    const by = await as(writer);
    await by.query(`UPDATE asked SET name = 'x'`);
    assert.match(await refusal('UPDATE asked SET price = 9', by), /42501.*for table item/);
    await proxied.database.query(`REVOKE ALL ON granted FROM ${reader.name}`);
    assert.match(
      await refusal('UPDATE granted SET price = 9', await as(reader)),
      /42501.*for view granted/,
    );
  });

  test('the log names the table, and nothing reaches it', async () => {
    const session = await proxied.daemon.newSession();
    const other = await proxied.connect(proxied.daemon.clientUrl(session));
    await other.query(`UPDATE granted SET name = 'staged' WHERE key = 1`);
    const { body } = await proxied.daemon.call('GET', `/sessions/${session}/mutations`);
    const [{ table, type, affected_rows }] = body.mutations;
    assert.equal([table, type, affected_rows], ['item', 'UPDATE', 1]);
    assert.equal(await proxied.database.query(`SELECT FROM item WHERE name = 'staged'`), []);
  });

  approveStories(test, () => proxied, steps);
});
