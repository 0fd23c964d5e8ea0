/** AFTER triggers that insert into other tables: what they write is staged, shown as theirs, and left to production at approval. */
import { createDatabase } from '../../src/db/database.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { rehearseSession } from '../../src/review/rehearsal/rehearse.ts';
import { asking } from '../helpers/asking.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { usual } from '../helpers/rehearsing.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE people (id int PRIMARY KEY, name text);
INSERT INTO people VALUES (1, 'ann');
CREATE TABLE items (id int PRIMARY KEY, price int, version int NOT NULL DEFAULT 1);
INSERT INTO items VALUES (1, 10), (2, 20), (3, 30);
CREATE TABLE lines (id int PRIMARY KEY, item int REFERENCES items ON DELETE CASCADE);
INSERT INTO lines VALUES (1, 3), (2, 3);
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
CREATE FUNCTION log_line() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN INSERT INTO history (item, op) VALUES (OLD.item, concat('line ', OLD.id)); RETURN NULL; END $f$;
CREATE TRIGGER log_line AFTER DELETE ON lines FOR EACH ROW EXECUTE FUNCTION log_line();
CREATE TABLE versions (item int, version int, PRIMARY KEY (item, version));
CREATE TABLE docs (id int PRIMARY KEY, version int);
INSERT INTO docs VALUES (1, 1), (2, 1);
CREATE FUNCTION keep_version() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN INSERT INTO versions VALUES (NEW.id, NEW.version); RETURN NEW; END $f$;
CREATE TRIGGER keep_version AFTER UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION keep_version();
CREATE TABLE counted (id int PRIMARY KEY);
CREATE FUNCTION count_once() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN INSERT INTO versions OVERRIDING USER VALUE VALUES (NEW.id, 1); RETURN NEW; END $f$;
CREATE TRIGGER count_once AFTER INSERT ON counted FOR EACH ROW EXECUTE FUNCTION count_once();
`;

const reported = 'SELECT item, op, old_price, price FROM history ORDER BY id';

suite('triggers that insert while staging', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  const open = async (...login: string[]) => {
    const id = await proxied.daemon.newSession({ reads: 'staged' });
    return { id, client: await proxied.connect(proxied.daemon.clientUrl(id, ...login)) };
  };
  const ask = asking(() => proxied);
  const approve = async (id: string) => {
    await ask('POST', `/sessions/${id}/propose`);
    return ask('POST', `/sessions/${id}/approve`);
  };
  const reasons = async (id: string, table: string) => {
    const { tables } = await ask('GET', `/sessions/${id}/diff`);
    const { triggers } =
      (tables as Record<string, { triggers: { unstaged: string | null }[] }>)[table] ?? {};
    return triggers?.map(({ unstaged }) => unstaged);
  };

  test('write rows that are read, and production writes them once', async () => {
    const { id, client } = await open();
    await client.query('UPDATE items SET price = price + 1 WHERE id < 3');
    await client.query('BEGIN; INSERT INTO items VALUES (5, 50); ROLLBACK');
    await client.query('INSERT INTO items VALUES (4, 40)');
    await client.query('DELETE FROM items WHERE id = 3');
    const wanted = [
      [0, 'begin', null, null],
      [1, 'UPDATE1', 10, 11],
      [2, 'UPDATE2', 20, 21],
      [4, 'INSERT', null, 40],
      [3, 'DELETE', 30, null],
      [3, 'line 1', null, null],
      [3, 'line 2', null, null],
    ].map(([item, op, old_price, price]) => ({ item, op, old_price, price }));
    assert.equal((await client.query(reported)).rows, wanted);
    assert.equal(await reasons(id, 'items'), [null]);
    await approve(id);
    const written = await proxied.database.query(reported);
    assert.equal(
      new Set(written.map((row) => JSON.stringify(row))),
      new Set(wanted.map((row) => JSON.stringify(row))),
    );
  });

  test('are named as the cause of their rows', async () => {
    const { id, client } = await open();
    await client.query('UPDATE items SET price = 5 WHERE id = 1');
    const { changes } = await ask('GET', `/sessions/${id}/diff/changes?table=history&why=true`);
    const [{ why, type } = { why: [], type: '' }] = changes as {
      why: JsonObject[];
      type: string;
    }[];
    assert.equal(
      [type, why.map(({ origin, trigger }) => [origin, trigger])],
      ['INSERT', [['trigger', 'log_item']]],
    );
    const { steps } = await ask('GET', `/sessions/${id}/diff/steps`);
    assert.equal(
      (steps as JsonObject[]).map(({ table }) => table),
      ['items'],
    );
  });

  test('are refused as a client is, where a constraint does not hold', async () => {
    const { client } = await open();
    const failed = await rejects(client.query('UPDATE items SET price = 901 WHERE id = 1'));
    assert.match(failed.message, /history_person_fkey/);
    assert.equal((await client.query('SELECT price FROM items WHERE id = 1')).rows, [
      { price: 11 },
    ]);
  });

  test('keep their rows from the client, and the rows of the client from them', async () => {
    const { client } = await open();
    await client.query('UPDATE items SET price = 1 WHERE id = 1');
    for (const text of ['UPDATE history SET price = 7', 'DELETE FROM history', 'TRUNCATE history'])
      assert.match(
        (await rejects(client.query(text))).message,
        /that a trigger inserted in this session/,
      );
    assert.is((await client.query("UPDATE history SET price = 7 WHERE op = 'begin'")).rowCount, 1);
    await client.query('INSERT INTO versions VALUES (1, 2)');
    await client.query('DELETE FROM versions');
    await client.query('UPDATE docs SET version = 2 WHERE id = 1');
    assert.equal((await client.query('TABLE versions')).rows, [{ item: 1, version: 2 }]);
  });

  test('hang on the rows for which they wrote, and the reverse', async () => {
    const { id, client } = await open();
    await client.query('UPDATE docs SET version = version + 1');
    const rows = (table: string, row_id: JsonObject | number) => ({ rows: [{ table, row_id }] });
    const one = await ask('POST', `/sessions/${id}/unstage`, rows('docs', 1), 409);
    assert.equal(one['dependents'], [
      { table: 'versions', row_id: { item: 1, version: 2 }, type: 'INSERT' },
    ]);
    await ask('POST', `/sessions/${id}/unstage`, { ...rows('docs', 1), with_dependents: true });
    assert.equal((await client.query('SELECT * FROM versions')).rows, [{ item: 2, version: 2 }]);
    const other = rows('versions', { item: 2, version: 2 });
    await ask('POST', `/sessions/${id}/unstage`, { ...other, with_dependents: true });
    assert.equal((await client.query('SELECT version FROM docs')).rows, [
      { version: 1 },
      { version: 1 },
    ]);
  });

  test('go with the rows for which they wrote to another session', async () => {
    const { id, client } = await open();
    await client.query('UPDATE docs SET version = version + 10');
    const only = { only: [{ table: 'docs', row_id: 1 }] };
    await ask('POST', `/sessions/${id}/split`, only, 409);
    const part = await ask('POST', `/sessions/${id}/split`, { ...only, with_ties: true }, 201);
    const other = String(part['id']);
    for (const each of [id, other]) {
      const path = `/sessions/${each}/diff/changes?table=versions&why=true`;
      const { changes } = await ask('GET', path);
      const causes = (changes as { why: JsonObject[] }[]).map(({ why }) => why[0]?.['origin']);
      assert.equal(causes, ['trigger'], each);
    }
  });

  test('are in no conflict with rows that production has by now', async () => {
    const { id, client } = await open();
    await client.query('UPDATE docs SET version = 7 WHERE id = 2');
    await proxied.database.query('INSERT INTO versions VALUES (2, 7)');
    assert.equal((await ask('GET', `/sessions/${id}/conflicts`))['conflicts'], []);
    await ask('POST', `/sessions/${id}/propose`);
    const { message } = await ask('POST', `/sessions/${id}/approve`, {}, 409);
    assert.match(String(message), /versions_pkey/);
    await proxied.database.query('DELETE FROM versions');
    await ask('POST', `/sessions/${id}/approve`);
  });

  test('write with the rights of the client', async () => {
    const role = await createRole(proxied.database, 'GRANT SELECT ON items, lines TO $role');
    try {
      const { client } = await open(role.name, role.name);
      const { code, message, hint } = (await rejects(
        client.query('INSERT INTO items VALUES (20, 1)'),
      )) as Error & { code?: string; hint?: string };
      assert.equal([code, message], ['42501', 'permission denied for table history']);
      assert.match(hint ?? '', /trigger log_item writes to it/);
      await proxied.database.query(`GRANT SELECT, INSERT (item) ON history TO ${role.name}`);
      assert.is((await rejects(client.query('INSERT INTO items VALUES (20, 1)'))).code, '42501');
      await proxied.database.query(`REVOKE INSERT (item) ON history FROM ${role.name}`);
      assert.is((await client.query('INSERT INTO items VALUES (20, 1)')).rowCount, 1);
    } finally {
      await role.drop();
    }
  });

  test('stop when more would follow from their rows', async () => {
    const { id, client } = await open();
    const change = () => client.query('UPDATE docs SET version = version + 1 WHERE id = 1');
    await change();
    assert.equal(await reasons(id, 'docs'), [null]);
    await proxied.database.query(
      'CREATE TABLE notes (item int, version int, FOREIGN KEY (item, version) REFERENCES versions DEFERRABLE)',
    );
    await change();
    assert.equal(await reasons(id, 'docs'), [
      'writes to versions, which is referred to by a foreign key that is deferrable',
    ]);
    assert.is((await client.query('SELECT FROM versions WHERE item = 1')).rowCount, 1);
    await proxied.database.query('DROP TABLE notes');
    await change();
    assert.is((await client.query('SELECT FROM versions WHERE item = 1')).rowCount, 2);
  });

  test('fire at approval only where they write in other ways', async () => {
    const { id, client } = await open();
    await client.query('INSERT INTO counted VALUES (8)');
    assert.equal(await reasons(id, 'counted'), ['does more than read, or cannot be followed']);
    assert.is((await client.query('SELECT FROM versions WHERE item = 8')).rowCount, 0);
    await approve(id);
    assert.is((await proxied.database.query('SELECT FROM versions WHERE item = 8')).length, 1);
  });

  test('are rehearsed as what production writes', async () => {
    const { id, client } = await open();
    await client.query('UPDATE items SET price = 6 WHERE id = 1');
    await ask('POST', `/sessions/${id}/propose`);
    const db = createDatabase({ url: proxied.database.url });
    for (const scanRows of [usual.scanRows, -1]) {
      const { differs, sideEffects } = await rehearseSession(db, id, { ...usual, scanRows });
      assert.equal(differs, [], String(scanRows));
      const counts = sideEffects?.map(({ table, counts }) => [table, counts?.inserts]);
      assert.equal(counts, [['history', 1]]);
    }
    await db.close();
  });
});
