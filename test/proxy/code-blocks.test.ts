/** DO: blocks read and write staged rows as they do directly, and are refused with the reason where they do more. */
import { assertAlike } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { q, run, s } from '../helpers/wire-script.ts';

const schema = `
CREATE TABLE item (id int PRIMARY KEY, n int CHECK (n < 100), note text DEFAULT 'none');
INSERT INTO item SELECT i, i * 10 FROM generate_series(1, 4) i;
CREATE TABLE part (id serial PRIMARY KEY, item int REFERENCES item ON DELETE CASCADE);
INSERT INTO part (item) VALUES (1), (2);
CREATE TABLE keyless (n int);
CREATE TYPE label AS ENUM ('a', 'b');
CREATE OPERATOR ==> (LEFTARG = int, RIGHTARG = int, FUNCTION = int4lt);
CREATE SCHEMA trap;
CREATE FUNCTION trap.notify(int, int) RETURNS boolean LANGUAGE plpgsql AS $f$BEGIN EXECUTE 'NOTIFY x'; RETURN true; END$f$;
CREATE OPERATOR trap.==> (LEFTARG = int, RIGHTARG = int, FUNCTION = trap.notify);
CREATE FUNCTION bump(i int, by int = 1) RETURNS int LANGUAGE sql AS 'UPDATE item SET n = n + by WHERE id = i RETURNING n';
CREATE FUNCTION down(i int) RETURNS int LANGUAGE plpgsql AS $f$BEGIN
  UPDATE item SET n = n - 1 WHERE id = i; IF i > 1 THEN RETURN 1 + down(i - 1); END IF; RETURN 1; END$f$;
CREATE FUNCTION fact(i int) RETURNS int LANGUAGE sql AS 'SELECT CASE WHEN i < 2 THEN 1 ELSE i * fact(i - 1) END';
CREATE FUNCTION forever() RETURNS int LANGUAGE plpgsql AS $f$BEGIN UPDATE item SET n = n WHERE id = 1; RETURN forever(); END$f$;
CREATE PROCEDURE add_item(i int, INOUT total int) LANGUAGE plpgsql AS $f$BEGIN
  INSERT INTO item VALUES (i, 1); SELECT total + sum(n) INTO total FROM item; END$f$;
CREATE PROCEDURE add_two(i int, INOUT total int) LANGUAGE plpgsql AS $f$BEGIN
  CALL add_item(i, total); CALL add_item(total => total, i => i + 1); RAISE NOTICE 'total %', total; END$f$;
CREATE PROCEDURE add_one(i int) LANGUAGE sql AS 'INSERT INTO item VALUES (i, 1)';
CREATE PROCEDURE twice(i int) LANGUAGE sql AS 'CALL add_one(i); CALL add_one(i + 1)';
`;

const blocks = [
  `DO $$ BEGIN UPDATE item SET n = n + 1; RAISE NOTICE '%', (SELECT sum(n) FROM item); END $$`,
  `DO LANGUAGE plpgsql $x$ DECLARE v int := bump(1); BEGIN RAISE NOTICE 'bumped to %', v; END $x$`,
  `DO 'BEGIN INSERT INTO item VALUES (7, 1, ''it''''s \\ here''); END' LANGUAGE plpgsql`,
  String.raw`DO E'BEGIN INSERT INTO item VALUES (8, 1, \'a\\\\b\'); END'`,
  `/* first */ DO -- second
  $$ BEGIN DELETE FROM item WHERE id = 1; IF NOT FOUND THEN RAISE EXCEPTION 'gone'; END IF; END $$ ;`,
  `DO $$ DECLARE r record; BEGIN FOR r IN SELECT * FROM item ORDER BY id LOOP INSERT INTO part (item) VALUES (r.id); END LOOP; END $$`,
  `DO $$ BEGIN INSERT INTO item VALUES (2, 1); EXCEPTION WHEN unique_violation THEN UPDATE item SET note = SQLERRM WHERE id = 2; END $$`,
  `DO $$ BEGIN UPDATE item SET n = 50; UPDATE item SET n = 500 WHERE id = 3; END $$`,
  `DO $$ DECLARE t int := 0; BEGIN CALL add_two(20, t); UPDATE item SET n = t % 90 WHERE id = 20; END $$`,
  `DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = 'P0042', HINT = 'try'; END $$`,
  `DO $$ DECLARE r item%ROWTYPE := (SELECT ROW(id, n, note) FROM item ORDER BY id DESC LIMIT 1); l label := 'b'; t record = ROW(bump(2), 5); BEGIN RAISE NOTICE '% % %', r, l, t; END $$`,
  `DO $$ BEGIN NULL; END $$`,
  `DO $$ BEGIN
    BEGIN INSERT INTO item VALUES (2, 1); EXCEPTION WHEN check_violation THEN NULL; WHEN OTHERS THEN RAISE NOTICE '% %', SQLSTATE, SQLERRM; END;
    BEGIN RAISE EXCEPTION 'own'; EXCEPTION WHEN division_by_zero OR /* then */ others -- then
      THEN UPDATE item SET note = SQLERRM WHERE id = 3; END;
    BEGIN PERFORM 1 / 0; EXCEPTION WHEN OTHERS THEN DELETE FROM part WHERE item = 4; END; END $$`,
  'CALL add_two(40, 1)',
  'CALL twice(60)',
  'SELECT down(3)',
  'SELECT fact(5)',
  'TABLE item ORDER BY id',
  'SELECT item FROM part ORDER BY 1',
];

suite('DO', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());
  const open = async (...login: string[]) => {
    const id = await proxied.daemon.newSession({ reads: 'staged' });
    return { id, client: await proxied.connect(proxied.daemon.clientUrl(id, ...login)) };
  };

  const both = blocks.slice(0, 2).join('; SELECT 1; ');
  const transaction = ['BEGIN', 'SAVEPOINT a', both, 'ROLLBACK TO a', both, 'COMMIT', both];
  const parts = [transaction, blocks.slice(0, 8), blocks.slice(8)];
  for (const [index, texts] of parts.entries())
    test(
      `runs as it does directly (part ${index + 1})`,
      async () => {
        await assertAlike(proxied, texts.map(q));
      },
      { timeout: 120_000 },
    );

  test(
    'runs as it does directly in the extended protocol',
    async () => {
      const messages = blocks.slice(4, 13).flatMap((text) => [run(text), s]);
      await assertAlike(proxied, messages);
    },
    { timeout: 120_000 },
  );

  test('reads and writes staged rows in a session that reads production, too', async () => {
    const reads = ['BEGIN READ ONLY', blocks[0] ?? '', 'ROLLBACK'];
    await assertAlike(proxied, [...reads, ...blocks.slice(0, 8)].map(q), { reads: 'production' });
  });

  test('is logged as the client wrote it, once for each table and operation', async () => {
    const { id, client } = await open();
    const text = 'DO $$ BEGIN UPDATE item SET n = 9; INSERT INTO part (item) VALUES (2); END $$';
    await client.query(text);
    const { body } = await proxied.daemon.call('GET', `/sessions/${id}/mutations`);
    const found = body.mutations as { type: string; table: string; query: string }[];
    assert.equal(
      found.map(({ type, table, query }) => [type, table, query]),
      [
        ['UPDATE', 'item', text],
        ['INSERT', 'part', text],
      ],
    );
  });

  test('follows what is replaced between two runs', async () => {
    const { client } = await open();
    const text = 'DO $$ BEGIN PERFORM bump(3); END $$';
    const n = async () => (await client.query('SELECT n FROM item WHERE id = 3')).rows[0].n;
    const before = await n();
    await client.query(text);
    assert.is(await n(), before + 1);
    const make = (body: string) =>
      proxied.database.query(
        `CREATE OR REPLACE FUNCTION bump(i int, by int = 1) RETURNS int LANGUAGE sql AS '${body}'`,
      );
    await make('UPDATE item SET n = n + 10 WHERE id = i RETURNING n');
    await client.query(text);
    assert.is(await n(), before + 11);
    await make("SELECT pg_notify(''a'', ''b''); SELECT 1");
    const error = await rejects(client.query(text));
    assert.match(error.message, /^DO cannot be staged: the block calls bump\(\), which |pg_notify/);
    await make('UPDATE item SET n = n + by WHERE id = i RETURNING n');
    await client.query(text);
    assert.is(await n(), before + 12);
  });

  test('is followed anew under another search path', async () => {
    const { client } = await open();
    const text = 'DO $$ BEGIN IF 1 ==> 2 THEN UPDATE item SET n = 2; END IF; END $$';
    await client.query(text);
    await client.query('SET search_path = trap, public');
    const error = await rejects(client.query(text));
    assert.match(error.message, /the block runs notify\(\), which no call names/);
  });

  test('does not run in a snapshot that is older than what it calls', async () => {
    const { client } = await open();
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await client.query('SELECT count(*) FROM item');
    const made = `CREATE OR REPLACE FUNCTION bump(i int, by int = 1) RETURNS int LANGUAGE sql AS 'UPDATE item SET n = n + by WHERE id = i RETURNING n'`;
    await proxied.database.query(made);
    const error = await rejects(client.query('DO $$ BEGIN PERFORM bump(4); END $$'));
    assert.is(error.code, '40001');
    await client.query('ROLLBACK');
    await client.query('DO $$ BEGIN PERFORM bump(4); END $$');
  });

  const refused: Readonly<Record<string, readonly [string, RegExp]>> = {
    'a statement built at run time': [
      `BEGIN EXECUTE concat('DELETE FROM item'); END`,
      /cannot be followed/,
    ],
    'a cursor of one': [
      `DECLARE c refcursor; BEGIN OPEN c FOR EXECUTE concat('SELECT 1'); END`,
      /cannot be followed/,
    ],
    'a block in it': [`BEGIN DO 'BEGIN DELETE FROM item; END'; END`, /cannot be followed/],
    'an end of the transaction': ['BEGIN COMMIT; END', /cannot be followed/],
    'a handler of what the service refuses': [
      'BEGIN DELETE FROM item; EXCEPTION WHEN read_only_sql_transaction OR others THEN NULL; END',
      /cannot be followed/,
    ],
    'a handler in quotes': [
      'BEGIN DELETE FROM item; EXCEPTION WHEN "others" THEN NULL; END',
      /cannot be followed/,
    ],
    'a handler of everything in quotes': [
      'BEGIN DELETE FROM item; EXCEPTION WHEN "others" THEN PERFORM CASE WHEN others THEN 1 END FROM (SELECT true AS others) x; END',
      /cannot be followed/,
    ],
    'a handler beside a CASE that looks like one': [
      'DECLARE others int := 0; BEGIN CASE 1 WHEN others THEN NULL; ELSE DELETE FROM item; END CASE; EXCEPTION WHEN "others" THEN NULL; END',
      /cannot be followed/,
    ],
    'a notification': [`BEGIN PERFORM pg_notify('a', 'b'); END`, /calls pg_notify\(\)/],
    'a setting of the service': [
      `BEGIN PERFORM set_config('stage.session', 'x', true); END`,
      /calls set_config\(\)/,
    ],
    'a default of a record': [
      `DECLARE r record := pg_notify('a', 'b'); BEGIN NULL; END`,
      /calls pg_notify\(\)/,
    ],
    'a default of a record behind two words DECLARE': [
      `DECLARE DECLARE no record := ROW(pg_notify('a', 'b'), 1); BEGIN NULL; END`,
      /calls pg_notify\(\)/,
    ],
    'a default of a row': [
      `DECLARE r item%ROWTYPE DEFAULT pg_notify('a', 'b'); BEGIN NULL; END`,
      /calls pg_notify\(\)/,
    ],
    'a default of a constant label': [
      `DECLARE l CONSTANT label NOT NULL = pg_notify('a', 'b')::text::label; BEGIN NULL; END`,
      /calls pg_notify\(\)/,
    ],
    'a table without a key': ['BEGIN DELETE FROM keyless; END', /writes to keyless, which is/],
    'the tables of the service': ['BEGIN DELETE FROM stage.session; END', /cannot be followed/],
    'the catalog': ['BEGIN DELETE FROM pg_catalog.pg_proc; END', /cannot be followed/],
    'an end of its own text': [`BEGIN NULL; END $body$; DELETE FROM item; $body$`, /cannot be f/],
  };
  for (const [what, [body, reason]] of Object.entries(refused))
    test(`is refused for ${what}`, async () => {
      const before = await proxied.contents();
      const { client } = await open();
      const error = await rejects(client.query(`DO $do$${body}$do$`));
      assert.match(error.message, /^DO cannot be staged: the block /);
      assert.match(error.message, reason);
      assert.is(error.code, '0A000');
      assert.equal(await proxied.contents(), before);
    });

  test('has the error of its syntax', async () => {
    const { client } = await open();
    for (const body of ['BEGIN UPDATE item SETT n = 1; END', 'BEGIN NULL END', 'BEGIN IF; END']) {
      const text = `DO $$ ${body} $$`;
      const direct = await rejects(proxied.database.query(text));
      const error = await rejects(client.query(text));
      assert.equal([error.code, error.message], ['42601', direct.message]);
    }
  });

  test('handles no refusal of the service as an error of its own', async () => {
    const { id, client } = await open();
    const text =
      'DO $$ BEGIN UPDATE item SET n = 1; EXCEPTION WHEN OTHERS THEN RAISE NOTICE $x$swallowed$x$; END $$';
    await client.query(text);
    await proxied.daemon.call('POST', `/sessions/${id}/propose`);
    const error = await rejects(client.query(text));
    assert.is(error.code, '25006');
    assert.match(error.message, /in a session that is proposed/);
  });

  test('is refused where an exception block for OTHERS cannot be told from other code', async () => {
    const { client } = await open();
    const words = ['"others"', 'unique_violation OR "others"', 'OTHERS OR "others"'];
    for (const name of words) {
      const text = `DO $$ BEGIN UPDATE item SET n = 1; EXCEPTION WHEN ${name} THEN NULL; END $$`;
      assert.is((await rejects(client.query(text))).code, '0A000', name);
    }
    const looksLike = `DO $$ DECLARE others bool := true;
      BEGIN UPDATE item SET n = CASE WHEN others THEN 1 END; EXCEPTION WHEN "others" THEN NULL; END $$`;
    assert.is((await rejects(client.query(looksLike))).code, '0A000');
  });

  test('is refused where a temporary table hides one that it names', async () => {
    const { client } = await open();
    await client.query('CREATE TEMP TABLE item (id int, n int)');
    const error = await rejects(client.query('DO $$ BEGIN UPDATE item SET n = 1; END $$'));
    assert.match(error.message, /the temporary table "item" hides a table that the block names/);
  });

  test('has no right that the client lacks', async () => {
    const role = await createRole(
      proxied.database,
      'GRANT SELECT ON item TO $role; REVOKE EXECUTE ON FUNCTION bump FROM PUBLIC',
    );
    const { client } = await open(role.name, role.name);
    const fails = async (body: string, message: RegExp) => {
      const error = await rejects(client.query(`DO $$ BEGIN ${body}; END $$`));
      assert.is(error.code, '42501');
      assert.match(error.message, message);
    };
    await fails('PERFORM bump(1)', /permission denied for function bump/);
    await fails('DELETE FROM part', /permission denied for table part/);
    await fails('PERFORM count(*) FROM part', /permission denied for (?:table|view) part/);
    await client.query('DO $$ BEGIN UPDATE item SET n = 3 WHERE id = 3; END $$');
    await proxied.database.query('GRANT EXECUTE ON FUNCTION bump TO PUBLIC');
    await client.end();
    await role.drop();
  });

  test('ends with an error of PostgreSQL where a function calls itself without end', async () => {
    const { client } = await open();
    assert.is((await rejects(client.query('SELECT forever()'))).code, '54001');
    assert.is((await client.query('SELECT count(*)::int FROM item')).rows[0].count > 0, true);
  });
});
