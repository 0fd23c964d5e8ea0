/**
 * Functions of extensions that act outside of tables. The catalog identifies what a name calls, in any spelling and any schema. Functions
 * of the same names that users wrote count as the users' own.
 */
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import type { TestRole } from '../helpers/roles.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { WireClient } from '../helpers/wire-script.ts';
import { b, connectWire, e, inWords, p, q, run, s } from '../helpers/wire-script.ts';

const schema = `
CREATE TABLE item (id int PRIMARY KEY, v text); INSERT INTO item VALUES (1, 'one');
CREATE SCHEMA ext; CREATE SCHEMA own;
CREATE EXTENSION pg_prewarm SCHEMA ext; CREATE EXTENSION pg_visibility SCHEMA ext; CREATE EXTENSION pg_stat_statements SCHEMA ext;
CREATE EXTENSION dblink SCHEMA ext; CREATE EXTENSION pgstattuple SCHEMA ext; CREATE EXTENSION "uuid-ossp" SCHEMA ext;
CREATE EXTENSION pg_trgm SCHEMA ext; CREATE EXTENSION lo SCHEMA ext;
GRANT USAGE ON SCHEMA ext, own TO PUBLIC;
CREATE FUNCTION own.pg_prewarm(text) RETURNS text LANGUAGE sql AS $$SELECT 'own ' || $1$$;
CREATE FUNCTION own.autoprewarm_dump_now() RETURNS text LANGUAGE plpgsql AS $$BEGIN RETURN 'own'; END$$;
CREATE FUNCTION own.dblink_exec(text) RETURNS text LANGUAGE sql AS $$SELECT 'own ' || $1$$;
CREATE FUNCTION own.http_get(text) RETURNS text LANGUAGE sql AS $$SELECT 'own ' || $1$$;
CREATE FUNCTION own.pg_mine(text) RETURNS text LANGUAGE sql AS $$SELECT 'own ' || $1$$;
CREATE FUNCTION public.move(text) RETURNS text LANGUAGE sql AS $$SELECT set_config('search_path', $1, false)$$;
`;

const reaching = [
  `pg_stat_statements_reset()`,
  `pg_truncate_visibility_map('item')`,
  `pg_prewarm('item')`,
  `autoprewarm_dump_now()`,
  `autoprewarm_start_worker()`,
  `dblink_exec('x')`,
  `dblink_connect('x')`,
  `dblink_get_connections()`,
];

const calling = (call: string) => [
  `SELECT ${call}`,
  `SELECT ext.${call}`,
  `SELECT "ext" . ${call}`,
  `SELECT * FROM ext.${call} x`,
  `WITH x AS MATERIALIZED (SELECT ext.${call}) TABLE x`,
  `COPY (SELECT ext.${call}) TO STDOUT`,
  `EXPLAIN ANALYZE SELECT ${call}`,
];

const attributes = [
  `SELECT ('item'::regclass).pg_prewarm`,
  `SELECT x.pg_truncate_visibility_map FROM CAST('item' AS regclass) x`,
  `SELECT ('x'::text).dblink_exec`,
];

/** Messages up to a ReadyForQuery. */
const ways: Readonly<Record<string, (text: string) => Buffer[]>> = {
  simple: (text) => [q(text)],
  'one message': (text) => [q(`SELECT 1; ${text}; SELECT 2`)],
  extended: (text) => [run(text), s],
  pipelined: (text) => [run('SELECT 1'), run(text), s],
};

suite('functions of extensions', (test) => {
  let database: TestDatabase;
  let daemon: TestDaemon;
  let reader: TestRole;
  const clients: WireClient[] = [];
  test.before(async () => {
    database = await createTestDatabase({ template: 'migrated' });
    await database.query(schema);
    reader = await createRole(
      database,
      'GRANT SELECT ON item TO $role; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ext TO $role',
    );
    daemon = await startTestDaemon({ database });
  });
  test.after(async () => {
    for (const client of clients) client.close();
    await daemon.stop();
    await reader.drop();
    await database.drop();
  });

  const connect = async (role: TestRole | null, server = daemon): Promise<WireClient> => {
    const login = role === null ? [] : [role.name, role.name];
    const client = await connectWire(server.clientUrl(await server.newSession(), ...login));
    clients.push(client);
    return client;
  };

  /** Returns the responses as text, up to as many ReadyForQuery as Syncs and Queries were sent. */
  const sendOn = async (client: WireClient, messages: readonly Buffer[], ready = 1) => {
    client.send(...messages);
    return (await client.readTo('Z'.charCodeAt(0), ready)).map(inWords);
  };

  const codesOf = (answers: readonly string[]) =>
    answers.flatMap((answer) => /^E .*\bC=(\w+)/.exec(answer)?.[1] ?? []);

  const refused = (answers: readonly string[], what: string) => {
    assert.equal(codesOf(answers), ['0A000'], what);
    assert.match(answers.join('\n'), /cannot be run in a staged session/, what);
  };

  for (const [way, messages] of Object.entries(ways)) {
    test(`are refused with their schema and without, ${way}`, async () => {
      for (const role of [null, reader]) {
        const client = await connect(role);
        await sendOn(client, [q('SET search_path = public, ext')]);
        for (const text of [...reaching.flatMap(calling), ...attributes])
          refused(await sendOn(client, messages(text)), text);
      }
    });

    test(`pass where users wrote functions of the same names, ${way}`, async () => {
      for (const role of [null, reader]) {
        const client = await connect(role);
        await sendOn(client, [q('SET search_path = public, own')]);
        for (const [call, result] of [
          [`pg_prewarm('item')`, 'own item'],
          ['autoprewarm_dump_now()', 'own'],
          [`dblink_exec('x')`, 'own x'],
          [`http_get('x')`, 'own x'],
          [`pg_mine('x')`, 'own x'],
        ] as const) {
          for (const text of [`SELECT ${call}`, `SELECT own.${call}`]) {
            const answers = await sendOn(client, messages(text));
            assert.equal(codesOf(answers), [], text);
            assert.ok(
              answers.some((answer) => answer.endsWith(result)),
              text,
            );
          }
        }
      }
    });

    test(`pass where they only tell something, ${way}`, async () => {
      const client = await connect(null);
      await sendOn(client, [q('SET search_path = public, ext')]);
      for (const text of [
        `SELECT tuple_count FROM pgstattuple('item')`,
        `SELECT tuple_count FROM ext.pgstattuple('item')`,
        `SELECT * FROM ext.pg_visibility('item')`,
        `SELECT * FROM pg_check_visible('item')`,
        `SELECT ext.uuid_generate_v4(), uuid_generate_v1()`,
        `SELECT ext.similarity('a', 'b'), show_limit(), ext.set_limit(0.3)`,
        `SELECT ext.lo_oid(0::oid::ext.lo), lo_oid(0::oid::lo)`,
      ])
        assert.equal(codesOf(await sendOn(client, messages(text))), [], text);
    });
  }

  test('are refused when a function that was called has moved the search path', async () => {
    const call = `pg_prewarm('item')`;
    const moved = `SELECT public.move('ext, public')`;
    const back = `SELECT public.move('own, public')`;
    for (const role of [null, reader]) {
      const client = await connect(role);
      const ways: Readonly<Record<string, readonly Buffer[]>> = {
        'in the next message': [q(moved), q(`SELECT ${call}`)],
        'in the same message': [q(`SELECT 1; ${moved}; SELECT ${call}`)],
        'by SET in the same message': [q(`SET search_path = ext, public; SELECT ${call}`)],
        'in a pipeline': [run(moved), run(`SELECT ${call}`), s],
        'prepared before': [p(`SELECT ${call}`, 'before'), run(moved), b([], 'before'), e(), s],
        'by PREPARE': [q(`PREPARE before AS SELECT ${call}`), q(moved), q('EXECUTE before')],
      };
      for (const [way, messages] of Object.entries(ways)) {
        const ends = messages.filter(({ 0: type }) => type === 'Q'.charCodeAt(0)).length || 1;
        await sendOn(client, [q(back)]);
        assert.equal(codesOf(await sendOn(client, [q(`SELECT ${call}`)])), [], `${way}: own`);
        refused(await sendOn(client, messages, ends), way);
        await sendOn(client, [q('DEALLOCATE ALL')]);
      }
    }
  });

  test('are refused when they are created after the name meant nothing', async () => {
    const client = await connect(null);
    assert.equal(codesOf(await sendOn(client, [q('SELECT public.reach(0)')])), ['42883']);
    assert.equal(codesOf(await sendOn(client, [q('SELECT reach(0)')])), ['42883']);
    await database.query(
      `CREATE FUNCTION reach(int) RETURNS bool LANGUAGE internal AS 'pg_cancel_backend'`,
    );
    refused(await sendOn(client, [q('SELECT public.reach(0)')]), 'with its schema');
    refused(await sendOn(client, [q('SELECT reach(0)')]), 'without');
    await database.query('DROP FUNCTION reach(int)');
  });

  test('are not called by the definition of a table in which rows are staged', async () => {
    await database.query(
      `CREATE TABLE warm (id int PRIMARY KEY, v text CHECK (ext.pg_prewarm('item') > 0));
      CREATE TABLE dumped (id int PRIMARY KEY, v text DEFAULT ext.autoprewarm_dump_now()::text)`,
    );
    const client = await connect(null);
    for (const table of ['warm', 'dumped']) {
      const answers = await sendOn(client, [q(`INSERT INTO ${table} (id) VALUES (1)`)]);
      assert.match(answers.join('\n'), /C=0A000 .*its definition calls/, table);
    }
    await database.query('DROP TABLE warm, dumped');
  });

  test('run when the settings allow them, however they are written', async () => {
    const allowFunctions =
      'pg_prewarm,ext.pg_truncate_visibility_map,pg_advisory_xact_lock,pg_notify';
    const allowing = await startTestDaemon({ database, flags: { allowFunctions } });
    for (const [way, messages] of Object.entries(ways)) {
      const client = await connect(null, allowing);
      await sendOn(client, [q('SET search_path = public, ext')]);
      for (const text of [
        `SELECT pg_prewarm('item')`,
        `SELECT ext.pg_prewarm('item')`,
        `SELECT ('item'::regclass).pg_prewarm`,
        `SELECT x.pg_prewarm FROM CAST('item' AS regclass) x`,
        `SELECT (7::bigint).pg_advisory_xact_lock`,
        `SELECT pg_advisory_xact_lock(7), pg_catalog.pg_advisory_xact_lock(7)`,
        `SELECT pg_notify('a', 'b')`,
      ])
        assert.equal(codesOf(await sendOn(client, messages(text))), [], `${way}: ${text}`);
      for (const text of [
        `SELECT ext.pg_truncate_visibility_map('pg_class')`,
        `SELECT pg_truncate_visibility_map('pg_class')`,
        `SELECT ('pg_class'::regclass).pg_truncate_visibility_map`,
      ])
        assert.not(codesOf(await sendOn(client, messages(text))).includes('0A000'), text);
      refused(await sendOn(client, messages(`SELECT (7::bigint).pg_advisory_lock`)), way);
      refused(await sendOn(client, messages(`SELECT ext.autoprewarm_dump_now()`)), way);
    }
    await allowing.stop();
  });
});
