/** Functions and procedures that cannot be followed are refused by name, with the reason, and write nothing. */
import { createDatabase } from '../../src/db/database.ts';
import { unstagedFunctions } from '../../src/overlay/functions/unstaged-functions.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const block = (text: string) => `LANGUAGE plpgsql AS $f$BEGIN ${text}; END$f$`;
const write = 'INSERT INTO plain VALUES (7)';

/** By the name of a procedure: what it is, and why it is not staged. */
const apart: Readonly<Record<string, readonly [string, RegExp]>> = {
  dynamic: [block(`EXECUTE concat('${write}')`), /does more than read and write rows/],
  ends: [block(`${write}; COMMIT`), /does more than read and write rows/],
  sets: [block(`SET LOCAL work_mem = '1MB'; ${write}`), /does more than read and write rows/],
  notifies: [block(`PERFORM pg_notify('a', 'b'); ${write}`), /calls pg_notify\(\)/],
  locks: [block(`PERFORM pg_advisory_xact_lock(1); ${write}`), /calls pg_advisory_xact_lock\(\)/],
  renames: [block(`PERFORM set_config('stage.session', 'x', true)`), /calls set_config\(\)/],
  moves: [block(`PERFORM set_config('search_path', 'other', true); ${write}`), /sets search_path/],
  rewinds: [block(`PERFORM setval('numbers', 1); ${write}`), /calls setval\(\)/],
  swallows: [
    block(
      `${write}; EXCEPTION WHEN "others" THEN PERFORM CASE WHEN others THEN 1 END FROM (SELECT true AS others) x`,
    ),
    /does more than read and write|cannot be followed/,
  ],
  catches: [
    block(`${write}; EXCEPTION WHEN feature_not_supported THEN NULL`),
    /does more than read/,
  ],
  state: [block(`${write}; EXCEPTION WHEN SQLSTATE 'ST002' THEN NULL`), /does more than read/],
  looks: [
    `LANGUAGE plpgsql AS $f$DECLARE c text; BEGIN GET DIAGNOSTICS c = PG_CONTEXT; ${write}; END$f$`,
    /does more than read/,
  ],
  merges: [
    block('MERGE INTO plain p USING plain q ON p.id = q.id WHEN MATCHED THEN DELETE'),
    /does more/,
  ],
  overrides: [
    block('INSERT INTO filled (id) OVERRIDING SYSTEM VALUE VALUES (1)'),
    /does more than read/,
  ],
  truncates: [block('TRUNCATE plain'), /does more than read and write rows/],
  owner: [`SECURITY DEFINER ${block(write)}`, /runs with its owner's rights/],
  settings: [`SET work_mem = '1MB' ${block(write)}`, /has settings of its own/],
  own_schema: [`SET search_path = "$user", public ${block(write)}`, /in a schema of the role/],
  behind: [`SET search_path = public, pg_catalog ${block(write)}`, /before pg_catalog/],
  behind_in_capitals: [`SET search_path FROM CURRENT ${block(write)}`, /before pg_catalog/],
  atomic: [
    'BEGIN ATOMIC DELETE FROM keyless; END',
    /writes to keyless, which is a table without a key/,
  ],
  catalog: [block(`DELETE FROM pg_catalog.pg_proc`), /does more than read/],
  own: [block(`DELETE FROM stage.session`), /does more than read/],
  view: [block('DELETE FROM seen'), /writes to public\.seen|writes to seen/],
  parted: [block('DELETE FROM parted_1'), /writes to parted_1, which is a partition;/],
  keyless: [block('DELETE FROM keyless'), /writes to keyless, which is a table without a key/],
  fills: [block('INSERT INTO filled (id) VALUES (1)'), /fills a column itself/],
  fills_all: [block('INSERT INTO filled VALUES (1, 1)'), /fills a column itself/],
  makes: [block('UPDATE filled SET twice = 1'), /fills a column itself/],
  inner: [
    block('UPDATE plain SET id = (SELECT writer())'),
    /calls writer\(\), which writes to plain, in UPDATE of it/,
  ],
  inner_condition: [
    block('PERFORM FROM plain WHERE id = writer()'),
    /calls writer\(\), which writes, in WHERE or ON/,
  ],
  inner_conflict: [
    block('INSERT INTO plain SELECT writer() ON CONFLICT DO NOTHING'),
    /calls writer\(\), which writes, in a statement that writes/,
  ],
  inner_insert: [
    block('INSERT INTO plain SELECT writer()'),
    /calls writer\(\), which writes to plain, in INSERT of it/,
  ],
  deep: [block('PERFORM hidden_writer()'), /calls hidden_writer\(\), which writes to keyless/],
  deeper: [
    block('PERFORM dynamic_writer()'),
    /calls dynamic_writer\(\), which does more than read/,
  ],
  operates: [block('PERFORM 1 ==> 2'), /runs operator_writer\(\), which no call names/],
  ring: [block('CALL ring_back()'), /calls ring_back\(\), which calls itself through other/],
  ring_back: [block('CALL ring()'), /calls itself through other functions/],
  calls_dynamic: [block('CALL dynamic()'), /calls dynamic\(\), which does more than read/],
  calls_itself_in_a_write: [
    block('PERFORM again(1)'),
    /calls again\(\), which calls again\(\), which writes, in its own INSERT/,
  ],
  mixes: [`SET search_path = public ${block('CALL mixes(1)')}`, /calls itself with another path/],
  calls_block: [block(`DO 'BEGIN ${write}; END'`), /does more than read and write rows/],
  default_of_row: [
    `LANGUAGE plpgsql AS $f$DECLARE p plain%ROWTYPE := ROW(dynamic_writer()); BEGIN ${write}; END$f$`,
    /calls dynamic_writer\(\), which does more than read/,
  ],
  default_of_record: [
    `LANGUAGE plpgsql AS $f$DECLARE a int = 1; r record DEFAULT pg_notify('a', 'b'); BEGIN ${write}; END$f$`,
    /calls pg_notify\(\)/,
  ],
  default_of_label: [
    `LANGUAGE plpgsql AS $f$DECLARE l label := pg_notify('a', 'b')::text::label; BEGIN ${write}; END$f$`,
    /calls pg_notify\(\)/,
  ],
};
const names = Object.keys(apart);
/** Those that are staged until they notify. */
const notifying = ['notifies', 'default_of_record', 'default_of_label'];

const schema = `
CREATE TABLE plain (id int PRIMARY KEY);
CREATE TABLE filled (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n int, twice int GENERATED ALWAYS AS (n * 2) STORED);
CREATE TABLE keyless (n int);
CREATE TYPE label AS ENUM ('a', 'b');
CREATE TABLE parted (id int PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted DEFAULT;
CREATE VIEW seen AS SELECT * FROM plain;
CREATE SEQUENCE numbers;
CREATE FUNCTION writer() RETURNS int LANGUAGE sql AS 'INSERT INTO plain VALUES (8) RETURNING id';
CREATE FUNCTION hidden_writer() RETURNS int LANGUAGE sql AS 'INSERT INTO keyless VALUES (8) RETURNING n';
CREATE FUNCTION again(n int) RETURNS int LANGUAGE sql AS 'INSERT INTO plain SELECT again(n - 1) WHERE n > 0 RETURNING id';
CREATE PROCEDURE mixes(i int) ${block(write)};
CREATE FUNCTION dynamic_writer() RETURNS void ${block(`EXECUTE concat('${write}')`)};
CREATE FUNCTION operator_writer(int, int) RETURNS int LANGUAGE sql AS 'INSERT INTO plain VALUES (9) RETURNING id';
CREATE OPERATOR ==> (LEFTARG = int, RIGHTARG = int, FUNCTION = operator_writer);
CREATE FUNCTION swallowing() RETURNS int LANGUAGE plpgsql AS $f$BEGIN PERFORM writer(); RETURN 1; EXCEPTION WHEN insufficient_privilege THEN RETURN 2; END$f$;
CREATE FUNCTION locking_one() RETURNS int LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_lock(1); RETURN 1; END';
SELECT set_config('search_path', 'public, PG_CATALOG', false);
${names.map((name) => `CREATE PROCEDURE ${name}() ${apart[name]?.[0]};`).join('\n')}
RESET search_path;
`;

suite('functions that are not staged', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());
  const open = async (...login: string[]) => {
    const id = await proxied.daemon.newSession({ reads: 'staged' });
    return { id, client: await proxied.connect(proxied.daemon.clientUrl(id, ...login)) };
  };

  test(
    'are refused by name',
    async () => {
      const before = await proxied.contents();
      const { client } = await open();
      for (const name of names) {
        if (notifying.includes(name)) continue;
        const error = await client.query(`CALL ${name}()`).then(
          () => null,
          (failure: Error & { code: string }) => failure,
        );
        assert.match(
          error?.message ?? '',
          new RegExp(`^CALL of ${name}\\(\\) cannot be staged: the procedure `),
          `${name}: ${error?.message}`,
        );
        assert.match(error?.message ?? '', apart[name]?.[1] ?? /^$/, name);
        assert.is(error?.code, '0A000');
      }
      assert.is((await rejects(client.query('CALL missing()'))).code, '42883');
      assert.equal((await client.query('SELECT * FROM plain')).rows, []);
      assert.equal(await proxied.contents(), before);
    },
    { timeout: 120_000 },
  );

  test('are refused when they notify', async () => {
    const before = await proxied.contents();
    const listener = await proxied.connect(proxied.database.url);
    const heard: string[] = [];
    listener.on('notification', ({ channel }) => heard.push(channel));
    await listener.query('LISTEN a');
    for (const name of notifying) {
      const { client } = await open();
      const { code, message } = await rejects(client.query(`CALL ${name}()`));
      assert.is(code, '0A000');
      assert.match(message, /^function pg_notify\(\) cannot notify in a staged session/, name);
      assert.equal((await client.query('SELECT * FROM plain')).rows, []);
    }
    await listener.query('SELECT 1');
    assert.equal(heard, []);
    assert.equal(await proxied.contents(), before);
  });

  test('are listed by doctor, which creates nothing', async () => {
    const db = createDatabase({ url: proxied.database.url });
    const made = 'SELECT count(*) AS count FROM stage.staged_function';
    const before = await proxied.database.query(made);
    const lines = await unstagedFunctions(db);
    await db.close();
    assert.equal(await proxied.database.query(made), before);
    const found = new Map(lines.map((line) => [line.slice(0, line.indexOf('(')), line]));
    // those that call one that is not staged are found when they are called
    const alone = names.filter((name) => !/which|itself/.test(String(apart[name]?.[1])));
    for (const name of alone)
      assert.match(found.get(name) ?? '', apart[name]?.[1] ?? /^$/, `${name}: ${found.get(name)}`);
    for (const name of ['writer', 'locking_one']) assert.is(found.has(name), false, name);
  });

  test('are not staged because they catch errors of those that they call', async () => {
    const { client } = await open();
    assert.is((await rejects(client.query('SELECT swallowing()'))).code, '25006');
    const [found] = await proxied.database.query(
      `SELECT obstacle FROM stage.staged_function WHERE name = 'swallowing'`,
    );
    assert.match(String(found?.['obstacle']), /does more than read and write rows/);
    assert.equal((await client.query('SELECT * FROM plain')).rows, []);
  });

  test('are refused beside functions that are', async () => {
    const { client } = await open();
    assert.match(
      (await rejects(client.query('SELECT writer(), locking_one()'))).message,
      /function public\.locking_one\(\) cannot be run/,
    );
    assert.match(
      (await rejects(client.query('SELECT writer(), 1 ==> 2'))).message,
      /cannot (?:be run|stage|commit)/,
    );
    assert.equal((await client.query('SELECT * FROM plain')).rows, []);
  });

  test('are refused where a temporary table hides theirs', async () => {
    const { client } = await open();
    await client.query('CREATE TEMP TABLE plain (id int)');
    assert.match(
      (await rejects(client.query('SELECT writer()'))).message,
      /the temporary table "plain" hides a table that it names/,
    );
    await client.query('DROP TABLE plain');
    assert.equal((await client.query('SELECT writer()')).rows, [{ writer: 8 }]);
  });

  test('are so from the time when a table of theirs changes', async () => {
    const { client } = await open();
    assert.equal((await client.query('SELECT writer()')).rows, [{ writer: 8 }]);
    await proxied.database.query('CREATE TABLE plainer () INHERITS (plain)');
    assert.is((await rejects(client.query('SELECT writer()'))).code, '25006');
    await proxied.database.query('DROP TABLE plainer');
    await client.query('DELETE FROM plain');
    assert.equal((await client.query('SELECT writer()')).rows, [{ writer: 8 }]);
  });

  test('are refused where the client has rights to some columns only', async () => {
    const role = await createRole(proxied.database, 'GRANT SELECT, INSERT (id) ON plain TO $role');
    const { client } = await open(role.name, role.name);
    assert.is((await rejects(client.query('SELECT writer()'))).code, '42501');
    assert.is((await client.query('INSERT INTO plain (id) VALUES (8)')).rowCount, 1);
    await proxied.database.query('REVOKE EXECUTE ON FUNCTION writer FROM PUBLIC');
    assert.is((await rejects(client.query('SELECT writer()'))).code, '42501');
    await proxied.database.query('GRANT EXECUTE ON FUNCTION writer TO PUBLIC');
    await client.end();
    await role.drop();
  });
});
