/** Triggers that fire for the action of a foreign key read nothing that the owner of the table may not read. */
import type pg from 'pg';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import type { TestRole } from '../helpers/roles.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE secret (id int PRIMARY KEY, v text);
INSERT INTO secret VALUES (1, 'hidden');
CREATE TABLE noted (id int PRIMARY KEY);
CREATE SEQUENCE drawn;
CREATE SEQUENCE other_drawn;
CREATE TABLE numbered (n bigint PRIMARY KEY);
CREATE FUNCTION peeks() RETURNS text LANGUAGE sql STABLE AS 'SELECT v FROM public.secret';
CREATE FUNCTION adds(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1 + 1; END';`;

/** The objects of the tables' owner: a table for each way to fire a trigger by an action. */
const own = `
CREATE TABLE parent (id int PRIMARY KEY);
CREATE TABLE moved (id int PRIMARY KEY, p int REFERENCES parent ON UPDATE CASCADE, note text);
CREATE TABLE gone (id int PRIMARY KEY, p int REFERENCES parent ON DELETE CASCADE);
CREATE TABLE told (id int PRIMARY KEY, p int REFERENCES parent ON UPDATE CASCADE);
CREATE TABLE called (id int PRIMARY KEY, p int REFERENCES parent ON UPDATE CASCADE, note text);
CREATE TABLE added (id int PRIMARY KEY, p int REFERENCES parent ON UPDATE CASCADE, n int);
CREATE TABLE logged (id int PRIMARY KEY, p int REFERENCES parent ON DELETE CASCADE);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO noted VALUES (OLD.id); RETURN NULL; END $$;
CREATE TRIGGER note AFTER DELETE ON logged FOR EACH ROW EXECUTE FUNCTION note();
INSERT INTO parent VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9);
INSERT INTO logged VALUES (1, 7);
CREATE TABLE drawing (id int PRIMARY KEY, p int REFERENCES parent ON DELETE CASCADE);
CREATE FUNCTION draw() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO numbered VALUES (nextval('drawn')); RETURN NULL; END $$;
CREATE TRIGGER draw AFTER DELETE ON drawing FOR EACH ROW EXECUTE FUNCTION draw();
INSERT INTO drawing VALUES (1, 8);
CREATE TABLE computing (id int PRIMARY KEY, p int REFERENCES parent ON DELETE CASCADE);
CREATE FUNCTION compute() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN INSERT INTO numbered VALUES (nextval('other_' || 'drawn')); RETURN NULL; END $$;
CREATE TRIGGER compute AFTER DELETE ON computing FOR EACH ROW EXECUTE FUNCTION compute();
INSERT INTO computing VALUES (1, 9);
INSERT INTO moved VALUES (1, 1, ''); INSERT INTO gone VALUES (1, 2); INSERT INTO told VALUES (1, 3); INSERT INTO called VALUES (1, 4, '');
INSERT INTO added VALUES (1, 5, 0);
CREATE FUNCTION peek() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN NEW.note := (SELECT v FROM secret); RETURN NEW; END $$;
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN IF EXISTS (SELECT FROM secret) THEN RAISE EXCEPTION 'it is %', (SELECT v FROM secret); END IF; RETURN coalesce(NEW, OLD); END $$;
CREATE FUNCTION call() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.note := peeks(); RETURN NEW; END $$;
CREATE FUNCTION add() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.n := adds(NEW.n); RETURN NEW; END $$;
CREATE TRIGGER peek BEFORE UPDATE ON moved FOR EACH ROW EXECUTE FUNCTION peek();
CREATE TRIGGER tell BEFORE DELETE ON gone FOR EACH ROW EXECUTE FUNCTION tell();
CREATE TRIGGER tell AFTER UPDATE ON told FOR EACH ROW EXECUTE FUNCTION tell();
CREATE TRIGGER call BEFORE UPDATE ON called FOR EACH ROW EXECUTE FUNCTION call();
CREATE TRIGGER add BEFORE UPDATE ON added FOR EACH ROW EXECUTE FUNCTION add();`;

suite('triggers of actions', (test) => {
  let proxied: Proxied;
  let owner: TestRole;
  let staged: pg.Client;
  let direct: pg.Client;
  test.before(async () => {
    proxied = await startProxied(schema);
    const { database, twin, daemon } = proxied;
    owner = await createRole(database, 'GRANT CREATE ON SCHEMA public TO $role');
    await twin.query(`GRANT CREATE ON SCHEMA public TO ${owner.name}`);
    for (const each of [database, twin])
      await each.query(
        `GRANT INSERT ON numbered TO ${owner.name}; GRANT SELECT ON noted TO ${owner.name}; SET ROLE ${owner.name}; ${own} RESET ROLE`,
      );
    const id = await daemon.newSession({ reads: 'staged' });
    staged = await proxied.connect(daemon.clientUrl(id, owner.name, owner.name));
    direct = await proxied.connect(twin.urlFor(owner.name, owner.name));
  });
  test.after(async () => {
    await Promise.all([staged.end(), direct.end()]);
    await proxied.twin.query(`DROP OWNED BY ${owner.name}`);
    await owner.drop();
    await proxied.stop();
  });

  /** Runs a statement and takes it back; returns its rows, or its error. */
  const outcome = async (client: pg.Client, text: string, then = 'SELECT 1 AS done') => {
    await client.query('BEGIN');
    const ran = await client.query(text).then(
      async () => (await client.query(then)).rows as unknown[],
      ({ code, message }: pg.DatabaseError) => [code, message],
    );
    await client.query('ROLLBACK');
    return ran;
  };
  const same = async (text: string, then?: string) => {
    const expected = await outcome(direct, text, then);
    assert.equal(await outcome(staged, text, then), expected);
    return expected;
  };
  const denied = ['42501', 'permission denied for table secret'];

  test('read with the rights of the owner: BEFORE UPDATE, BEFORE DELETE, AFTER', async () => {
    assert.equal(await same('UPDATE parent SET id = 10 WHERE id = 1'), denied);
    assert.equal(await same('DELETE FROM parent WHERE id = 2'), denied);
    assert.equal(await same('UPDATE parent SET id = 30 WHERE id = 3'), denied);
    const added = await same('UPDATE parent SET id = 50 WHERE id = 5', 'SELECT * FROM added');
    assert.equal(added, [{ id: 1, p: 50, n: 1 }]);
    await same('UPDATE parent SET id = 60 WHERE id = 6');
  });

  test('and so do the functions that they call', async () => {
    assert.equal(await same('UPDATE parent SET id = 40 WHERE id = 4'), denied);
    for (const each of [proxied.database, proxied.twin])
      await each.query('REVOKE EXECUTE ON FUNCTION adds(int) FROM PUBLIC');
    const refused = await same('UPDATE parent SET id = 50 WHERE id = 5');
    assert.equal(refused, ['42501', 'permission denied for function adds']);
  });

  test('read what the owner may read', async () => {
    for (const each of [proxied.database, proxied.twin])
      await each.query(`GRANT SELECT ON secret TO ${owner.name}`);
    const moved = await same('UPDATE parent SET id = 10 WHERE id = 1', 'SELECT * FROM moved');
    assert.equal(moved, [{ id: 1, p: 10, note: 'hidden' }]);
    assert.equal(await same('DELETE FROM parent WHERE id = 2'), ['P0001', 'it is hidden']);
    assert.equal(await same('UPDATE parent SET id = 30 WHERE id = 3'), ['P0001', 'it is hidden']);
  });

  test('write with the rights of the owner', async () => {
    const text = 'DELETE FROM parent WHERE id = 7';
    assert.equal(await same(text), ['42501', 'permission denied for table noted']);
    for (const { query } of [proxied.database, proxied.twin])
      await query(`GRANT INSERT ON noted TO ${owner.name}`);
    assert.equal(await same(text, 'SELECT id FROM noted'), [{ id: 1 }]);
  });

  test('write to what the owner may only write to, and draw from sequences with its rights', async () => {
    const text = 'DELETE FROM parent WHERE id = 8';
    assert.equal(await same(text), ['42501', 'permission denied for sequence drawn']);
    for (const { query } of [proxied.database, proxied.twin])
      await query(`GRANT USAGE ON SEQUENCE drawn TO ${owner.name}`);
    assert.equal(await same(text), [{ done: 1 }]);
  });

  test('do not fire while staging where they compute the name of a sequence', async () => {
    const text = 'DELETE FROM parent WHERE id = 9';
    assert.equal(await outcome(staged, text), [{ done: 1 }]);
    const [drawn] = await proxied.database.query('SELECT is_called FROM other_drawn');
    assert.equal(drawn, { is_called: false });
    assert.equal(await outcome(direct, text), [
      '42501',
      'permission denied for sequence other_drawn',
    ]);
  });
});
