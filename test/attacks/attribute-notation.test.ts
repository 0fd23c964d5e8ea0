/**
 * `(x).f` calls f(x). Every call that is refused is refused in this notation, too, in every statement that runs expressions, and in every
 * form of sending it.
 */
import { hasEffects } from '../../src/sql/functions/functions.ts';
import { decodeErrorFields } from '../../src/wire/error-fields.ts';
import { backend } from '../../src/wire/message-codes.ts';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import type { TestRole } from '../helpers/roles.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, suite } from '../helpers/suite.ts';
import { connectWire, q, run, s } from '../helpers/wire-script.ts';
import { fingerprint } from './fingerprint.ts';

/** The forms of a statement, each followed by a ReadyForQuery. */
const ways: Readonly<Record<string, (text: string) => Buffer[]>> = {
  simple: (text) => [q(text)],
  extended: (text) => [run(text), s],
  pipelined: (text) => [run('SELECT 1'), run(text), s],
};

/** Statements that run an expression. */
const runningIt: Readonly<Record<string, (expression: string) => string>> = {
  SELECT: (it) => `SELECT ${it}`,
  'EXECUTE of a read': (it) => `EXECUTE reading(${it})`,
  'EXECUTE of a write': (it) => `EXECUTE writing(${it})`,
  COPY: (it) => `COPY (SELECT ${it}) TO STDOUT`,
  DECLARE: (it) => `DECLARE c CURSOR FOR SELECT ${it}`,
  'EXPLAIN ANALYZE': (it) => `EXPLAIN ANALYZE SELECT ${it}`,
  PREPARE: (it) => `PREPARE never AS SELECT ${it}`,
};

/** Places of a query where a call may be, and texts that may precede its dot. */
const places = [
  'SELECT (0::oid).reach',
  'SELECT ((0)::oid).reach',
  'SELECT (SELECT 0::oid).reach',
  'SELECT ((ARRAY[0::oid])[1]).reach',
  'SELECT 1 WHERE (SELECT (0::oid).reach) IS NULL',
  'WITH x AS MATERIALIZED (SELECT (0::oid).reach) TABLE x',
  'SELECT * FROM (SELECT (0::oid).reach) x',
  'SELECT * FROM generate_series(1, (0::oid).reach::int)',
  'SELECT 1 ORDER BY (0::oid).reach',
  'SELECT 1 GROUP BY (0::oid).reach',
  'VALUES ((0::oid).reach)',
  'SELECT 1 LIMIT (0::oid).reach::int',
  'SELECT 1 OFFSET (0::oid).reach::int',
  'SELECT x.reach FROM CAST(0 AS oid) x',
  'SELECT oid.reach FROM CAST(0 AS oid)',
  'SELECT (x.x).reach FROM CAST(0 AS oid) x',
  'SELECT (x).reach FROM CAST(0 AS oid) x',
  'SELECT "x" . "reach" FROM unnest(ARRAY[0::oid]) x',
  'SELECT unnest.reach FROM unnest(ARRAY[0::oid])',
  'SELECT x.U&"re\\0061ch" FROM unnest(ARRAY[0::oid]) x',
  'SELECT x.reach FROM ROWS FROM (unnest(ARRAY[0::oid])) x',
  'SELECT (SELECT x.reach) FROM unnest(ARRAY[0::oid]) x',
  'SELECT 1 FROM unnest(ARRAY[0::oid]) x WHERE x.reach > 0',
  'SELECT 1 FROM unnest(ARRAY[0::oid]) x JOIN item ON x.reach > 0',
  'SELECT reach(0::oid)',
  'SELECT public.reach(0::oid)',
  'SELECT * FROM reach(0::oid)',
  'SELECT * FROM ROWS FROM (public.reach(0::oid))',
];

const schema = `
CREATE TABLE item (id int PRIMARY KEY, v text); INSERT INTO item VALUES (1, 'one');
CREATE FUNCTION reach(oid) RETURNS oid LANGUAGE internal AS 'be_lo_create';
CREATE FUNCTION wr(x text) RETURNS text LANGUAGE plpgsql AS $$BEGIN INSERT INTO public.item VALUES (301, x); RETURN x; END$$;
CREATE FUNCTION wr_def(x text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN RETURN public.wr(x); END';
`;

suite('calls in attribute notation', (test) => {
  let database: TestDatabase;
  let daemon: TestDaemon;
  let reader: TestRole;
  let writer: TestRole;
  let calls: { name: string; type: string }[];
  let before: string[];
  test.before(async () => {
    database = await createTestDatabase({ template: 'migrated' });
    await database.query(schema);
    const granted = (rights: string) =>
      createRole(database, `GRANT ${rights} ON ALL TABLES IN SCHEMA public TO $role`);
    reader = await granted('SELECT');
    writer = await granted('SELECT, INSERT, UPDATE, DELETE');
    daemon = await startTestDaemon({ database });
    const found = await database.query<{ name: string; type: string; volatility: string }>(
      `SELECT DISTINCT p.proname AS name, pg_catalog.format_type(p.proargtypes[0], NULL) AS type, p.provolatile AS volatility
       FROM pg_proc p JOIN pg_type t ON t.oid = p.proargtypes[0]
       WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind = 'f' AND t.typtype <> 'p'
         AND p.pronargs >= 1 AND p.pronargs - p.pronargdefaults <= 1 ORDER BY 1, 2`,
    );
    const builtin = { schema: 'pg_catalog', isCompiled: true, isExtension: false };
    calls = found.filter(({ name, volatility }) => {
      const facts = { isVolatile: volatility === 'v', isImmutable: volatility === 'i' };
      return hasEffects({ ...builtin, ...facts, name }, 'read');
    });
    before = await fingerprint(database);
  });
  test.after(async () => {
    await daemon.stop();
    await reader.drop();
    await writer.drop();
    await database.drop();
  });

  /** Returns the SQLSTATEs of the errors of each statement, in order. */
  const outcomes = async (
    role: TestRole | null,
    messages: (text: string) => Buffer[],
    statements: readonly string[],
  ): Promise<string[]> => {
    const login = role === null ? [] : [role.name, role.name];
    const client = await connectWire(daemon.clientUrl(await daemon.newSession(), ...login));
    try {
      const codes: string[] = [];
      for (const statement of statements) {
        client.send(...messages(statement));
        const answers = await client.readTo(backend.readyForQuery);
        const errors = answers.filter(({ type }) => type === backend.errorResponse);
        codes.push(errors.map(({ payload }) => decodeErrorFields(payload).get('C')).join(' '));
      }
      return codes;
    } finally {
      client.close();
    }
  };

  const prepared = [
    'PREPARE reading(text) AS SELECT $1',
    'PREPARE writing(text) AS INSERT INTO item VALUES (300, $1)',
  ];

  for (const [way, messages] of Object.entries(ways)) {
    for (const [statement, make] of Object.entries(runningIt)) {
      test(`are refused in ${statement}, ${way}`, async () => {
        assert.ok(calls.length > 30, `${calls.length} functions`);
        for (const name of [
          'lo_create',
          'pg_terminate_backend',
          'pg_advisory_lock',
          'pg_read_file',
        ])
          assert.ok(
            calls.some((call) => call.name === name),
            name,
          );
        const statements = calls.map(({ name, type }) => make(`(NULL::${type}).${name}`));
        for (const role of statement === 'SELECT' ? [null, reader] : [null]) {
          const [, , ...codes] = await outcomes(role, messages, [...prepared, ...statements]);
          const passed = statements.filter((_, index) => codes[index] !== '0A000');
          assert.equal(passed, []);
        }
      });
    }

    test(`are refused wherever they stand, ${way}`, async () => {
      for (const role of [null, reader]) {
        for (const place of places)
          assert.equal(await outcomes(role, messages, [place]), ['0A000'], place);
      }
      assert.equal(await fingerprint(database), before);
    });

    test(`write nothing as arguments of EXECUTE, ${way}`, async () => {
      for (const [role, name] of [
        [writer, 'wr'],
        [writer, 'wr_def'],
        [reader, 'wr_def'],
      ] as const) {
        const codes = await outcomes(role, messages, [
          ...prepared,
          `EXECUTE writing(('direct'::text).${name})`,
          `EXECUTE reading(('direct'::text).${name})`,
        ]);
        assert.equal(codes.slice(2), ['0A000', '25006']);
        assert.equal(await fingerprint(database), before);
      }
    });
  }

  test('write nothing as arguments of EXECUTE behind its PREPARE', async () => {
    const [, prepare] = prepared as [string, string];
    const execute = `EXECUTE writing(('direct'::text).wr_def)`;
    const behind: Readonly<Record<string, (text: string) => Buffer[]>> = {
      'one message': (text) => [q(`${prepare}; ${text}`)],
      pipelined: (text) => [run(prepare), run(text), s],
      'a transaction': (text) => [q(`BEGIN; ${prepare}; SAVEPOINT a; ${text}; COMMIT`)],
    };
    for (const [way, messages] of Object.entries(behind)) {
      for (const role of [writer, reader])
        assert.equal(await outcomes(role, messages, [execute]), ['0A000'], way);
      assert.equal(await fingerprint(database), before);
    }
  });
});
