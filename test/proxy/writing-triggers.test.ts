/** AFTER triggers that insert into other tables: what they write is staged, shown as theirs, and left to production at approval. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE people (id int PRIMARY KEY, name text);
INSERT INTO people VALUES (1, 'ann');
CREATE TABLE items (id int PRIMARY KEY, price int, version int NOT NULL DEFAULT 1);
INSERT INTO items VALUES (1, 10), (2, 20), (3, 30);
CREATE TABLE history (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, item int, op text, old_price int, price int, person int REFERENCES people,
  at timestamptz NOT NULL DEFAULT now());
INSERT INTO history (item, op) VALUES (0, 'begin');
CREATE FUNCTION log_item() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  IF TG_OP = 'DELETE' THEN
    INSERT INTO history (item, op, old_price) VALUES (OLD.id, TG_OP, OLD.price);
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO history (item, op, old_price, price, person)
    SELECT NEW.id, TG_OP || (SELECT count(*) FROM history), OLD.price, NEW.price, CASE WHEN NEW.price > 900 THEN 7 END;
  ELSE
    INSERT INTO history (item, op, price) VALUES (NEW.id, TG_OP, NEW.price);
  END IF;
  RETURN NULL;
END $f$;
CREATE TRIGGER log_item AFTER INSERT OR UPDATE OR DELETE ON items FOR EACH ROW EXECUTE FUNCTION log_item();
`;

suite('triggers that insert while staging', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  const open = async () => {
    const id = await proxied.daemon.newSession({ reads: 'staged' });
    return { id, client: await proxied.connect(proxied.daemon.clientUrl(id)) };
  };

  test('write rows that are read, told with their trigger, and not applied twice', async () => {
    const { id, client } = await open();
    await client.query('UPDATE items SET price = price + 1 WHERE id < 3');
    await client.query('INSERT INTO items VALUES (4, 40)');
    await client.query('DELETE FROM items WHERE id = 3');
    const read = 'SELECT item, op, old_price, price FROM history ORDER BY id';
    const wanted = [
      { item: 0, op: 'begin', old_price: null, price: null },
      { item: 1, op: 'UPDATE1', old_price: 10, price: 11 },
      { item: 2, op: 'UPDATE2', old_price: 20, price: 21 },
      { item: 4, op: 'INSERT', old_price: null, price: 40 },
      { item: 3, op: 'DELETE', old_price: 30, price: null },
    ];
    console.log(JSON.stringify((await proxied.daemon.call('GET', `/sessions/${id}/diff`)).body).slice(0, 1500));
    assert.equal((await client.query(read)).rows, wanted);
    const { body } = await proxied.daemon.call('GET', `/sessions/${id}/diff/changes?table=history&why=true`);
    console.log(JSON.stringify(body).slice(0, 1500));
    for (const step of ['propose', 'approve']) {
      const { status, text } = await proxied.daemon.call('POST', `/sessions/${id}/${step}`);
      assert.is(status, 200, text);
      console.log(text);
    }
    assert.equal(await proxied.database.query(read), wanted);
  });

  test('are refused like a client, when a constraint does not hold', async () => {
    const { client } = await open();
    await rejects(client.query('UPDATE items SET price = 901 WHERE id = 1'), /history_person_fkey/);
    assert.equal((await client.query('SELECT price FROM items WHERE id = 1')).rows, [{ price: 11 }]);
  });

  test('keep their rows from the client', async () => {
    const { client } = await open();
    await client.query('UPDATE items SET price = 1 WHERE id = 1');
    for (const text of ['UPDATE history SET price = 7', 'DELETE FROM history', 'TRUNCATE history'])
      await rejects(client.query(text), /that a trigger wrote in this session/);
    assert.is((await client.query("UPDATE history SET price = 7 WHERE op = 'begin'")).rowCount, 1);
  });
});
