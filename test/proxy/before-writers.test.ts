/** BEFORE ROW triggers that write: answers, what is read, and what the approval leaves are as they are directly. */
import type { JsonObject } from '../../src/model/json.ts';
import { approveStories } from '../helpers/alike.ts';
import { asking } from '../helpers/asking.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const { schema, steps } = await readStories('proxy/before-writers.sql');

suite('BEFORE triggers that write', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  approveStories(test, () => proxied, steps);
});

const guarded = `
CREATE TABLE items (id int PRIMARY KEY, price int);
INSERT INTO items VALUES (1, 10), (2, 20);
CREATE TABLE history (item int, price int, PRIMARY KEY (item, price));
CREATE FUNCTION keep_price() RETURNS trigger LANGUAGE plpgsql AS
  'BEGIN INSERT INTO history VALUES (OLD.id, OLD.price); IF NEW.price = 0 THEN RETURN NULL; END IF; RETURN NEW; END';
CREATE TRIGGER keep_price BEFORE UPDATE ON items FOR EACH ROW EXECUTE FUNCTION keep_price();
CREATE TABLE orders (id int PRIMARY KEY, item int, price int);
CREATE FUNCTION set_price() RETURNS trigger LANGUAGE plpgsql AS
  'BEGIN UPDATE items SET price = NEW.price WHERE id = NEW.item; RETURN NULL; END';
CREATE TRIGGER set_price AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION set_price();
CREATE TABLE nodes (id int PRIMARY KEY, n int);
CREATE TABLE edges (id int PRIMARY KEY, n int);
CREATE FUNCTION to_edges() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO edges VALUES (NEW.id, NEW.n); RETURN NEW; END';
CREATE TRIGGER to_edges BEFORE INSERT ON nodes FOR EACH ROW WHEN (NEW.n > 0) EXECUTE FUNCTION to_edges();
CREATE FUNCTION to_nodes() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO nodes VALUES (NEW.id + 10, NEW.n - 1); RETURN NEW; END';
CREATE TRIGGER to_nodes BEFORE INSERT ON edges FOR EACH ROW EXECUTE FUNCTION to_nodes();
CREATE TABLE feeds (id int PRIMARY KEY, n int);
CREATE FUNCTION feed() RETURNS trigger LANGUAGE plpgsql AS
  'BEGIN INSERT INTO nodes VALUES (NEW.id, NEW.n) ON CONFLICT (id) DO UPDATE SET n = 0; RETURN NULL; END';
CREATE TRIGGER feed AFTER INSERT ON feeds FOR EACH ROW EXECUTE FUNCTION feed();
CREATE TABLE seen (id int PRIMARY KEY, n int DEFAULT 0);
CREATE TABLE stamps (id int PRIMARY KEY, n int DEFAULT 0);
CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS
  'BEGIN INSERT INTO stamps AS s VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET n = s.n + 1; RETURN NEW; END';
CREATE TRIGGER stamp BEFORE INSERT ON seen FOR EACH ROW EXECUTE FUNCTION stamp();
CREATE TABLE noticed (id int PRIMARY KEY, n int DEFAULT 0);
CREATE TABLE drawn_stamps (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text UNIQUE, n int DEFAULT 0);
CREATE FUNCTION drawn_stamp() RETURNS trigger LANGUAGE plpgsql AS
  'BEGIN INSERT INTO drawn_stamps AS s (name, n) VALUES (''a'', 1) ON CONFLICT (name) DO UPDATE SET n = s.n + 1; RETURN NEW; END';
CREATE TRIGGER drawn_stamp BEFORE INSERT ON noticed FOR EACH ROW EXECUTE FUNCTION drawn_stamp();
CREATE TABLE counts (id int PRIMARY KEY, n int);
INSERT INTO counts VALUES (1, 0);
CREATE FUNCTION counted() RETURNS int LANGUAGE plpgsql AS
  'DECLARE v int; BEGIN UPDATE counts SET n = n + 1 RETURNING n INTO v; RETURN v; END';
CREATE TABLE paid (id int PRIMARY KEY, n int);
CREATE TABLE payments (id int PRIMARY KEY, n int);
INSERT INTO payments VALUES (1, 0);
CREATE FUNCTION pay() RETURNS trigger LANGUAGE plpgsql AS
  'BEGIN UPDATE payments SET n = n + 1; IF NEW.n = 0 THEN RETURN NULL; END IF; RETURN NEW; END';
CREATE TRIGGER pay BEFORE UPDATE ON paid FOR EACH ROW EXECUTE FUNCTION pay();
CREATE TABLE "o'dd ""{{shadow}}" (id int PRIMARY KEY, "n'{{oid}}" int);
CREATE FUNCTION "o'dd $body$ ""x"()  RETURNS trigger LANGUAGE plpgsql AS
  'BEGIN INSERT INTO history VALUES (NEW.id, NEW."n''{{oid}}"); RETURN NEW; END';
CREATE TRIGGER "o'dd $body$ \\ ""{{oid}}" BEFORE INSERT ON "o'dd ""{{shadow}}" FOR EACH ROW EXECUTE FUNCTION "o'dd $body$ ""x"();
CREATE TABLE beyond (id int PRIMARY KEY);
CREATE SEQUENCE numbers;
CREATE FUNCTION of_beyond() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  INSERT INTO history VALUES (NEW.id, 1);
  CASE TG_ARGV[0]
    WHEN 'told' THEN PERFORM pg_notify('a', 'b');
    WHEN 'locked' THEN PERFORM pg_advisory_xact_lock(1);
    ELSE PERFORM setval('numbers', 9);
  END CASE;
  RETURN NEW;
END $f$;
CREATE TRIGGER of_beyond BEFORE INSERT ON beyond FOR EACH ROW EXECUTE FUNCTION of_beyond('told');
CREATE TABLE own (id int PRIMARY KEY, n int);
CREATE FUNCTION own_row() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO own VALUES (0, 1) ON CONFLICT (id) DO UPDATE SET n = own.n + 1; RETURN NEW; END';
CREATE TRIGGER own_row BEFORE UPDATE ON own FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION own_row();
`;

suite('what BEFORE triggers write', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(guarded);
  });
  test.after(() => proxied.stop());

  const open = async () => {
    const id = await proxied.daemon.newSession({ reads: 'staged' });
    return { id, client: await proxied.connect(proxied.daemon.clientUrl(id)) };
  };
  const ask = asking(() => proxied);
  const originsOf = async (id: string, table: string) => {
    const { changes } = await ask('GET', `/sessions/${id}/diff/changes?table=${table}&why=true`);
    return (changes as { why: JsonObject[] }[]).map(({ why }) =>
      why.map(({ origin, trigger }) => [origin, trigger ?? null]),
    );
  };

  test('is theirs where the row is staged, and goes with it', async () => {
    const { id, client } = await open();
    await client.query('UPDATE items SET price = price + 1');
    assert.equal(await originsOf(id, 'history'), [
      [['trigger', 'keep_price']],
      [['trigger', 'keep_price']],
    ]);
    const rows = [{ table: 'items', row_id: 1 }];
    const { dependents } = await ask('POST', `/sessions/${id}/unstage`, { rows }, 409);
    assert.equal(dependents, [
      { table: 'history', row_id: { item: 1, price: 10 }, type: 'INSERT' },
    ]);
    await ask('POST', `/sessions/${id}/unstage`, { rows, with_dependents: true });
    assert.equal((await client.query('SELECT item FROM history')).rows, [{ item: 2 }]);
  });

  test("is the client's where the row is suppressed, and is logged with the statement", async () => {
    const { id, client } = await open();
    assert.is((await client.query('UPDATE items SET price = 0 WHERE id = 1')).rowCount, 0);
    assert.equal(await originsOf(id, 'history'), [[['client', null]]]);
    const { mutations } = await ask('GET', `/sessions/${id}/mutations`);
    const logged = (mutations as JsonObject[]).map(({ table, affected_rows }) => [
      table,
      affected_rows,
    ]);
    assert.equal(logged, [['items', 1]]);
    // a row of the client may be changed
    assert.is((await client.query('UPDATE history SET price = 11')).rowCount, 1);
  });

  test('is refused where another trigger changes the row that is suppressed', async () => {
    const { client } = await open();
    await client.query('INSERT INTO orders VALUES (1, 1, 5)');
    const { code } = await rejects(client.query('INSERT INTO orders VALUES (2, 1, 0)'));
    assert.is(code, '0A000');
    assert.equal((await client.query('SELECT id FROM orders')).rows, [{ id: 1 }]);
  });

  test('is refused where it comes back to a row that another trigger upserts', async () => {
    const { client } = await open();
    const { code, message } = await rejects(client.query('INSERT INTO feeds VALUES (1, 1)'));
    assert.equal([code, /BEFORE trigger of "nodes"/.test(message)], ['0A000', true]);
    assert.is((await client.query('INSERT INTO feeds VALUES (1, 0)')).rowCount, 1);
  });

  test('is applied to a row that a trigger inserts at approval, unless that draws its key', async () => {
    for (const [table, stamps] of [
      ['seen', 'stamps'],
      ['noticed', 'drawn_stamps'],
    ] as const) {
      const { id, client } = await open();
      await client.query(`INSERT INTO ${table} VALUES (1)`);
      await client.query(`INSERT INTO ${table} VALUES (2)`);
      assert.equal((await client.query(`SELECT n FROM ${stamps}`)).rows, [{ n: 2 }]);
      const upsert = client.query(`INSERT INTO ${table} VALUES (1) ON CONFLICT (id) DO NOTHING`);
      if (table === 'noticed') {
        assert.match((await rejects(upsert)).message, /that a trigger inserted/);
        continue;
      }
      assert.is((await upsert).rowCount, 0);
      for (const step of ['propose', 'approve']) await ask('POST', `/sessions/${id}/${step}`);
      assert.equal(await proxied.database.query('SELECT n FROM stamps'), [{ n: 3 }]);
      await proxied.database.query('TRUNCATE seen, stamps');
    }
  });

  test('is not applied where rows of one statement share it', async () => {
    const { client } = await open();
    await client.query('INSERT INTO paid VALUES (1, 2), (2, 2)');
    const some = 'UPDATE paid SET n = n - id WHERE id < 3';
    assert.match((await rejects(client.query(some))).message, /for a row that they suppress/);
    assert.is((await client.query('UPDATE paid SET n = n - id WHERE id = 2')).rowCount, 0);
    await client.query('UPDATE paid SET n = n - id WHERE id = 1');
    assert.equal((await client.query('SELECT n FROM payments')).rows, [{ n: 2 }]);
  });

  test('is not replaced by the clause of the statement, nor the reverse', async () => {
    const { client } = await open();
    const both =
      'WITH s AS (INSERT INTO stamps VALUES (1, 5) ON CONFLICT (id) DO NOTHING RETURNING id) INSERT INTO seen SELECT 9 + count(*) FROM s';
    assert.is((await rejects(client.query(both))).code, '0A000');
  });

  test('comes behind what functions write that the statement calls', async () => {
    const { client } = await open();
    await client.query('INSERT INTO seen SELECT counted()');
    assert.equal((await client.query('SELECT s.n, c.n AS c FROM stamps s, counts c')).rows, [
      { n: 1, c: 1 },
    ]);
    const many = 'INSERT INTO seen SELECT 10 + counted() FROM generate_series(1, 2)';
    assert.match((await rejects(client.query(many))).message, /after a BEFORE trigger of "seen"/);
  });

  test('is left to approval where it is an upsert of its own table', async () => {
    const { id, client } = await open();
    await client.query('INSERT INTO own VALUES (1, 1), (2, 2)');
    await client.query('UPDATE own SET n = 5 WHERE id = 1');
    const { tables } = await ask('GET', `/sessions/${id}/diff`);
    const { triggers } = (tables as Record<string, { triggers: JsonObject[] }>)['own'] ?? {};
    assert.equal(
      triggers?.map(({ unstaged }) => unstaged),
      ['uses ON CONFLICT for its own table, before the row for which it fires'],
    );
  });

  test('is written under any names', async () => {
    const { id, client } = await open();
    await client.query(`INSERT INTO "o'dd ""{{shadow}}" VALUES (7, 7)`);
    assert.equal(await originsOf(id, 'history'), [[['trigger', `o'dd $body$ \\ "{{oid}}`]]]);
  });

  test('is left to approval where it is no row', async () => {
    const { id, client } = await open();
    await client.query('INSERT INTO beyond VALUES (1)');
    assert.equal((await client.query('TABLE history')).rows, []);
    const { tables } = await ask('GET', `/sessions/${id}/diff`);
    const { triggers } = (tables as Record<string, { triggers: JsonObject[] }>)['beyond'] ?? {};
    assert.match(String(triggers?.[0]?.['unstaged']), /^calls |more than read/);
  });

  test('without a row is not approved', async () => {
    const { id, client } = await open();
    await client.query('UPDATE items SET price = 8 WHERE id = 2');
    const uuid = id.replace('sess_', '');
    await proxied.database.query(`UPDATE stage.effect SET cause = 0 WHERE session = '${uuid}'`);
    await ask('POST', `/sessions/${id}/propose`);
    const { status } = await proxied.daemon.call('POST', `/sessions/${id}/approve`);
    assert.is(status >= 400, true, String(status));
    assert.equal(await proxied.database.query('TABLE history'), []);
  });
});
