/** Triggers that insert rows to which others refer: answers, what is read, and what the approval leaves are as they are directly. */
import { approveStories } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, suite } from '../helpers/suite.ts';

const { schema, steps } = await readStories('proxy/referred-effects.sql');

suite('rows of triggers to which others refer', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  approveStories(test, () => proxied, steps);
});

const block = (body: string) => `LANGUAGE plpgsql AS $f$${body}$f$`;
const guarded = `
CREATE TABLE users (id int PRIMARY KEY, name text);
INSERT INTO users VALUES (1, 'ann');
CREATE TABLE profiles (id int PRIMARY KEY REFERENCES users ON DELETE CASCADE ON UPDATE CASCADE);
INSERT INTO profiles VALUES (1);
CREATE TABLE posts (id int PRIMARY KEY, author int REFERENCES profiles ON DELETE CASCADE);
CREATE FUNCTION new_user() RETURNS trigger ${block('BEGIN INSERT INTO profiles VALUES (NEW.id); RETURN NULL; END')};
CREATE TRIGGER new_user AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION new_user();
CREATE TABLE drawn (id serial PRIMARY KEY, code int UNIQUE, n int);
CREATE TABLE of_drawn (id int PRIMARY KEY, drawn int REFERENCES drawn);
CREATE TABLE of_code (id int PRIMARY KEY, code int REFERENCES drawn (code));
CREATE TABLE first (id int PRIMARY KEY);
CREATE FUNCTION first() RETURNS trigger ${block('BEGIN INSERT INTO drawn (code, n) VALUES (NEW.id, 1); RETURN NULL; END')};
CREATE TRIGGER first AFTER INSERT ON first FOR EACH ROW EXECUTE FUNCTION first();
CREATE TABLE second (id int PRIMARY KEY);
CREATE FUNCTION second() RETURNS trigger ${block('BEGIN INSERT INTO drawn VALUES (NEW.id, DEFAULT, 1); RETURN NULL; END')};
CREATE TRIGGER second AFTER INSERT ON second FOR EACH ROW EXECUTE FUNCTION second();
CREATE TABLE third (id int PRIMARY KEY);
CREATE FUNCTION third() RETURNS trigger ${block('BEGIN INSERT INTO drawn SELECT NEW.id, NEW.id; RETURN NULL; END')};
CREATE TRIGGER third AFTER INSERT ON third FOR EACH ROW EXECUTE FUNCTION third();
CREATE TABLE rooms (id uuid PRIMARY KEY);
CREATE TABLE seats (id int PRIMARY KEY, room uuid REFERENCES rooms);
CREATE TABLE houses (id int PRIMARY KEY);
CREATE FUNCTION add_room() RETURNS trigger ${block('BEGIN INSERT INTO rooms VALUES (gen_random_uuid()); RETURN NULL; END')};
CREATE TRIGGER add_room AFTER INSERT ON houses FOR EACH ROW EXECUTE FUNCTION add_room();
`;

suite('rows that refer to those of triggers', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(guarded);
  });
  test.after(() => proxied.stop());

  const stage = async (...texts: string[]) => {
    const id = await proxied.daemon.newSession({ reads: 'staged' });
    const client = await proxied.connect(proxied.daemon.clientUrl(id));
    for (const text of texts) await client.query(text);
    return { id, client };
  };
  const diff = async (id: string) =>
    (await proxied.daemon.call('GET', `/sessions/${id}/diff`)).body as unknown as {
      tables: Record<string, { triggers?: { unstaged: string | null }[] }>;
    };

  test('are taken out with the row for which the trigger fired', async () => {
    const { id } = await stage(
      'INSERT INTO users VALUES (2, $$bob$$), (3, $$cat$$)',
      'INSERT INTO posts VALUES (1, 2), (2, 3), (3, 1)',
    );
    const unstage = (with_dependents: boolean) =>
      proxied.daemon.call('POST', `/sessions/${id}/unstage`, {
        json: { rows: [{ table: 'users', row_id: 2 }], with_dependents },
      });
    const { body, status } = await unstage(false);
    assert.is(status, 409);
    const { dependents } = body as { dependents: { table: string; row_id: unknown }[] };
    assert.equal(dependents.map(({ table, row_id }) => [table, row_id]).toSorted(), [
      ['posts', 1],
      ['profiles', 2],
    ]);
    assert.is((await unstage(true)).status, 200);
    for (const step of ['propose', 'approve']) {
      const { status: given, text } = await proxied.daemon.call('POST', `/sessions/${id}/${step}`);
      assert.is(given, 200, text);
    }
    assert.equal(await proxied.database.query('SELECT id, author FROM posts ORDER BY id'), [
      { id: 2, author: 3 },
      { id: 3, author: 1 },
    ]);
  });

  test('are bound to keys that approval gives again', async () => {
    const { id } = await stage(
      ...['first', 'second', 'third'].map((name, at) => `INSERT INTO ${name} VALUES (${at + 7})`),
    );
    const { tables } = await diff(id);
    const reasons = ['first', 'second', 'third'].map(
      (name) => tables[name]?.triggers?.[0]?.unstaged,
    );
    const drawn = 'writes to drawn, which draws a key to which foreign keys refer';
    assert.equal(reasons, [drawn, drawn, null]);
  });

  test('fail the approval where the trigger gives its row another key', async () => {
    const { id } = await stage(
      'INSERT INTO houses VALUES (1)',
      'INSERT INTO seats SELECT 1, id FROM rooms',
    );
    await proxied.daemon.call('POST', `/sessions/${id}/propose`);
    const { status, body } = await proxied.daemon.call('POST', `/sessions/${id}/approve`);
    assert.equal([status, body['error']], [409, 'apply_failed']);
    assert.equal(await proxied.database.query('SELECT FROM houses'), []);
  });
});
