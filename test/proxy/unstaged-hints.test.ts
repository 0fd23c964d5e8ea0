/** Reads of functions that write and are not staged fail with PostgreSQL's error, and a hint that names the function and the reason. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { WireClient } from '../helpers/wire-script.ts';
import { b, connectWire, d, e, h, p, q, run, runScriptOn, s } from '../helpers/wire-script.ts';

const schema = `
CREATE TABLE plain (id int PRIMARY KEY);
CREATE TABLE keyless (n int);
CREATE SEQUENCE numbers;
CREATE SCHEMA other;
CREATE FUNCTION writer() RETURNS int LANGUAGE sql AS 'INSERT INTO plain VALUES (8) RETURNING id';
CREATE FUNCTION logs(n int = 1) RETURNS int LANGUAGE sql AS 'INSERT INTO keyless VALUES (n) RETURNING n';
CREATE FUNCTION dynamic() RETURNS int LANGUAGE plpgsql AS $$BEGIN EXECUTE concat('INSERT INTO plain ', 'VALUES (7)'); RETURN 1; END$$;
CREATE FUNCTION "In Turn"() RETURNS int LANGUAGE plpgsql AS $$BEGIN PERFORM dynamic(); RETURN 1; END$$;
CREATE FUNCTION constant() RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RETURN dynamic(); END$$;
CREATE FUNCTION take(regclass) RETURNS bigint LANGUAGE internal VOLATILE AS 'nextval_oid';
CREATE FUNCTION twice() RETURNS int LANGUAGE sql AS 'INSERT INTO plain VALUES (9) RETURNING id';
CREATE FUNCTION other.twice(int) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION left(int) RETURNS int LANGUAGE sql AS 'INSERT INTO plain VALUES ($1) RETURNING id';
CREATE FUNCTION looks() RETURNS bigint LANGUAGE plpgsql AS $$DECLARE n bigint; BEGIN EXECUTE concat('SELECT count(*) FROM ', 'plain') INTO n; RETURN n; END$$;
CREATE VIEW behind AS SELECT dynamic() AS n;
CREATE FUNCTION operated(int, int) RETURNS int LANGUAGE sql AS 'INSERT INTO plain VALUES (9) RETURNING id';
CREATE OPERATOR ==> (LEFTARG = int, RIGHTARG = int, FUNCTION = operated);
`;

/** By the call: the hint's beginning. */
const hints: Readonly<Record<string, RegExp>> = {
  'logs()':
    /Function logs\(\) cannot be staged, and so may only read: it writes to keyless, which is a table without a key/,
  'dynamic()': /Function dynamic\(\) .* it does more than read and write rows/,
  '"In Turn"()': /Function In Turn\(\) .* it calls code that is not staged/,
  'constant()': /Function constant\(\) .* it calls code that is not staged/,
  "take('numbers')": /Function take\(\) .* it is not written in SQL or PL\/pgSQL/,
  'twice()': /Function twice\(\) .* it is in several schemas of search_path/,
  'left(9)': /Function left\(\) .* it is in several schemas of search_path/,
  'looks() + public.dynamic()': /Function dynamic\(\) .* it does more/,
};

const failure = /^E .*C=25006 M=cannot execute \S+ in a read-only transaction/;

suite('hints for functions that are not staged', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());
  const errorsOf = async (client: WireClient, ...steps: Buffer[]) =>
    (await runScriptOn(client, steps)).filter((answer) => answer.startsWith('E '));
  const open = async (reads: 'staged' | 'production' = 'staged') => {
    const id = await proxied.daemon.newSession({ reads });
    const client = await connectWire(proxied.daemon.clientUrl(id));
    await runScriptOn(client, [q('SET search_path = public, other')]);
    return client;
  };

  const ways: Readonly<Record<string, (text: string) => Buffer[]>> = {
    simple: (text) => [q(text)],
    'with other statements': (text) => [q(`SELECT 1; ${text}; SELECT 2`)],
    extended: (text) => [run(text), s],
    prepared: (text) => [p(text, 'a'), s, b([], 'a'), d(), e(), s, b([], 'a'), e(), s],
    'prepared by SQL': (text) => [q(`PREPARE a AS ${text}`), q('EXECUTE a')],
    'executed by SQL, extended': (text) => [q(`PREPARE a AS ${text}`), run('EXECUTE a'), s],
    pipelined: (text) => [run('SELECT 1'), run(text), run('SELECT 2'), s, run('SELECT 3'), s],
    flushed: (text) => [run('SELECT 1'), h, run(text), h, s],
    explained: (text) => [q(`EXPLAIN ANALYZE ${text}`)],
    'in a block': (text) => [q('BEGIN'), q(text), q('ROLLBACK')],
    'in a block behind a write': (text) => [
      ...[q('BEGIN'), q('INSERT INTO plain VALUES (1)')],
      ...[run('SELECT * FROM plain'), run(text), s, q('ROLLBACK')],
    ],
    'behind a savepoint': (text) => [
      ...[q('BEGIN; SAVEPOINT a'), q(text), q('ROLLBACK TO a'), run(text), s, q('ROLLBACK')],
    ],
  };
  for (const [way, steps] of Object.entries(ways))
    test(
      `are given: ${way}`,
      async () => {
        const before = await proxied.contents();
        for (const [call, hint] of Object.entries(hints)) {
          const client = await open();
          const errors = await errorsOf(client, ...steps(`SELECT ${call}`));
          assert.ok(errors.length > 0, call);
          for (const error of errors) {
            assert.match(error, failure, `${call}: ${error}`);
            assert.match(error, new RegExp(` H=${hint.source}`), `${call}: ${error}`);
            assert.match(error, /`stage doctor` lists/);
          }
          client.close();
        }
        assert.equal(await proxied.contents(), before);
      },
      { timeout: 120_000 },
    );

  test('name a staged function where its writes are not staged', async () => {
    const client = await open();
    for (const steps of [
      [q('EXPLAIN ANALYZE SELECT writer()')],
      [q('PREPARE a AS SELECT writer()'), q('EXECUTE a')],
      [q('SELECT writer() FROM keyless FOR UPDATE'), q('SELECT writer() FOR UPDATE')],
    ])
      for (const error of await errorsOf(client, ...steps))
        assert.match(error, /25006.* H=What function writer\(\) writes is staged where|0A000/);
    client.close();
  });

  test('are not given for other functions and other errors', async () => {
    const client = await open();
    const of = async (text: string) => (await errorsOf(client, q(text))).join();
    await of('SELECT dynamic()');
    for (const text of ['SELECT looks() FROM behind', 'SELECT 1 ==> 2 FROM looks()'])
      assert.not.match(await of(text), / H=Function/, text);
    assert.not.match(
      await of('SELECT dynamic(), 1 / (length(now()::text) - length(now()::text))'),
      /C=22012.* H=/,
    );
    assert.equal(await errorsOf(client, q('SELECT looks()'), run('SELECT looks()'), s), []);
    client.close();
  });

  test('are not given in the READ ONLY transaction of the client', async () => {
    const client = await open();
    const texts = ['SELECT dynamic()', 'BEGIN READ ONLY', 'SELECT dynamic()', 'ROLLBACK'];
    const [hinted, bare] = await errorsOf(client, ...texts.map(q));
    assert.match(hinted ?? '', / H=Function/);
    assert.match(bare ?? '', failure);
    assert.not.match(bare ?? '', / H=/);
    client.close();
  });

  test('follow a function that is replaced', async () => {
    const client = await open();
    const replace = (body: string) =>
      proxied.database.query(
        `CREATE OR REPLACE FUNCTION dynamic() RETURNS int LANGUAGE sql AS '${body}'`,
      );
    assert.match((await errorsOf(client, q('SELECT dynamic()'))).join(), /does more than/);
    await replace('INSERT INTO keyless VALUES (3) RETURNING n');
    assert.match((await errorsOf(client, run('SELECT dynamic()'), s)).join(), /without a key/);
    await replace('INSERT INTO plain VALUES (3) RETURNING id');
    assert.equal(await errorsOf(client, q('SELECT dynamic()')), []);
    client.close();
  });
});
