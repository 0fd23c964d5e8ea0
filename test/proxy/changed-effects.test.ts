/** Rows that triggers inserted in a session and the client changed there: answers, approval, conflicts, and keys that approval draws anew. */
import type { JsonObject } from '../../src/model/json.ts';
import { approveStories } from '../helpers/alike.ts';
import { asking } from '../helpers/asking.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const { schema, steps } = await readStories('proxy/changed-effects.sql');

suite('rows of triggers that the client changes', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  approveStories(test, () => proxied, steps);
});

const drawn = `
CREATE TABLE items (id int PRIMARY KEY, code text);
CREATE TABLE states (item int PRIMARY KEY, state text, note text);
CREATE TABLE labels (id uuid PRIMARY KEY, name text);
CREATE TABLE logs (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, item int, note text);
CREATE TABLE notes (id int PRIMARY KEY, note text);
CREATE TABLE links (log bigint PRIMARY KEY, note text);
CREATE TABLE codes (code text PRIMARY KEY, note text);
CREATE SEQUENCE note_numbers;
CREATE FUNCTION new_item() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  INSERT INTO states VALUES (NEW.id, 'new');
  INSERT INTO labels SELECT gen_random_uuid(), NEW.code;
  INSERT INTO logs (item) VALUES (NEW.id);
  INSERT INTO notes VALUES (nextval('note_numbers'));
  RETURN NULL;
END $f$;
CREATE TRIGGER new_item AFTER INSERT ON items FOR EACH ROW EXECUTE FUNCTION new_item();
CREATE FUNCTION new_log() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO links VALUES (NEW.id); RETURN NULL; END';
CREATE TRIGGER new_log AFTER INSERT ON logs FOR EACH ROW EXECUTE FUNCTION new_log();
CREATE FUNCTION new_state() RETURNS trigger LANGUAGE plpgsql AS
  'BEGIN INSERT INTO codes SELECT md5(clock_timestamp()::text); RETURN NULL; END';
CREATE TRIGGER new_state AFTER INSERT ON states FOR EACH ROW EXECUTE FUNCTION new_state();
`;

suite('review of rows of triggers that the client changed', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(drawn);
  });
  test.after(() => proxied.stop());

  const open = async () => {
    const id = await proxied.daemon.newSession({ reads: 'staged' });
    return { id, client: await proxied.connect(proxied.daemon.clientUrl(id)) };
  };
  const ask = asking(() => proxied);

  test('refuses those whose key approval draws anew', async () => {
    const { client } = await open();
    await client.query("INSERT INTO items VALUES (101, 'a')");
    for (const table of ['labels', 'logs', 'notes', 'links']) {
      const { code, message } = await rejects(client.query(`DELETE FROM ${table}`));
      assert.equal(
        [code, message],
        ['0A000', `cannot change a row of "${table}" that a trigger inserted in this session`],
      );
    }
    assert.is((await client.query("UPDATE states SET note = 'mine'")).rowCount, 1);
  });

  test('shows the trigger and the client, and the row as they made it', async () => {
    const { id, client } = await open();
    await client.query("INSERT INTO items VALUES (2, 'a'), (3, 'b')");
    await client.query("UPDATE states SET note = 'mine' WHERE item = 2");
    const { changes } = await ask('GET', `/sessions/${id}/diff/changes?table=states&why=true`);
    assert.equal(
      (changes as { type: string; after: JsonObject; why: JsonObject[] }[]).map(
        ({ type, after, why }) => [type, after['note'], why.map(({ origin }) => origin)],
      ),
      [
        ['INSERT', 'mine', ['trigger', 'client']],
        ['INSERT', null, ['trigger']],
      ],
    );
    const { steps } = await ask('GET', `/sessions/${id}/diff/steps`);
    assert.equal(
      (steps as JsonObject[]).map(({ table, type }) => [table, type]),
      [
        ['items', 'INSERT'],
        ['items', 'INSERT'],
        ['states', 'UPDATE'],
      ],
    );
    const rows = [{ table: 'states', row_id: 2 }];
    const { dependents } = await ask('POST', `/sessions/${id}/unstage`, { rows }, 409);
    assert.ok(JSON.stringify(dependents).includes('"items"'));
    await ask('POST', `/sessions/${id}/propose`);
    await ask('POST', `/sessions/${id}/approve`);
    assert.equal(
      await proxied.database.query(
        "SELECT operation, old_data ->> 'note' AS old, new_data ->> 'note' AS new FROM stage.audit WHERE table_name = 'states'",
      ),
      [{ operation: 'UPDATE', old: null, new: 'mine' }],
    );
  });

  test('finds the key taken in production, and gives the row up with the one that caused it', async () => {
    const { id, client } = await open();
    await client.query("INSERT INTO items VALUES (4, 'a'), (5, 'b')");
    await client.query("UPDATE states SET note = 'mine' WHERE item = 4");
    await proxied.database.query("INSERT INTO states VALUES (4, 'theirs'), (5, 'theirs')");
    const { conflicts } = await ask('GET', `/sessions/${id}/conflicts`);
    assert.equal(
      (conflicts as JsonObject[]).map(({ table, kind, row_id }) => [table, kind, row_id]),
      [['states', 'key_exists', 4]],
    );
    await ask('POST', `/sessions/${id}/propose`);
    await ask('POST', `/sessions/${id}/approve`, undefined, 409);
    await ask('POST', `/sessions/${id}/reopen`, { message: 'again' });
    await ask('POST', `/sessions/${id}/resolve`, { all: 'mine' }, 409);
    await ask('POST', `/sessions/${id}/resolve`, { all: 'theirs', with_dependents: true });
    assert.equal((await client.query('SELECT id FROM items WHERE id > 3')).rows, [{ id: 5 }]);
    await proxied.database.query('DELETE FROM states WHERE item > 3');
  });

  test('fails the approval where production has the row under another key', async () => {
    const { id, client } = await open();
    await client.query("INSERT INTO items VALUES (6, 'a')");
    await client.query("UPDATE codes SET note = 'mine'");
    await ask('POST', `/sessions/${id}/propose`);
    const { error, ...facts } = await ask('POST', `/sessions/${id}/approve`, undefined, 409);
    assert.equal(
      [error, JSON.stringify(facts).includes('did not insert a row under the key')],
      ['apply_failed', true],
    );
    assert.equal(await proxied.database.query('SELECT id FROM items WHERE id = 6'), []);
  });

  test('fails the approval where the trigger is gone', async () => {
    const { id, client } = await open();
    await client.query("INSERT INTO items VALUES (7, 'a')");
    await client.query("UPDATE states SET note = 'mine'");
    await proxied.database.query('ALTER TABLE items DISABLE TRIGGER new_item');
    await ask('POST', `/sessions/${id}/propose`);
    await ask('POST', `/sessions/${id}/approve`, undefined, 409);
    await proxied.database.query('ALTER TABLE items ENABLE TRIGGER new_item');
    await ask('POST', `/sessions/${id}/approve`);
    assert.equal(await proxied.database.query('SELECT note FROM states WHERE item = 7'), [
      { note: 'mine' },
    ]);
  });
});
