/** COPY FROM STDIN by common clients, and its effects on the statements around it. */
import { execFile } from 'node:child_process';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { decodeErrorFields } from '../../src/wire/error-fields.ts';
import { backend } from '../../src/wire/message-codes.ts';
import { needProgram } from '../helpers/programs.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';
import { b, connectWire, data, done, e, p, q, runScript, s } from '../helpers/wire-script.ts';

const run = promisify(execFile);

const schema = `
CREATE TABLE item (id int PRIMARY KEY, name varchar(5) NOT NULL DEFAULT 'd', amount int CHECK (amount >= 0), code text UNIQUE);
CREATE TABLE own (id int PRIMARY KEY);
CREATE TABLE counted (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text);
INSERT INTO item VALUES (1, 'a', 1, 'c1');
`;

suite('COPY by clients', (test) => {
  let proxied: Proxied;
  let session: string;
  let url: string;
  let major: number;
  test.before(async () => {
    proxied = await startProxied(schema);
    const [row] = await proxied.database.query<{ major: string }>(
      `SELECT current_setting('server_version_num')::int / 10000 AS major`,
    );
    major = Number(row?.major);
  });
  test.beforeEach(async () => {
    session = await proxied.daemon.newSession({ reads: 'staged' });
    url = proxied.daemon.clientUrl(session);
  });
  test.after(() => proxied.stop());

  const staged = async (table = 'item') =>
    (
      await (
        await proxied.connect(url)
      ).query({ text: `SELECT * FROM ${table} ORDER BY id`, rowMode: 'array' })
    ).rows;
  const mutations = async () =>
    (await proxied.daemon.call('GET', `/sessions/${session}/mutations`)).body.mutations;

  test('psql: \\copy from its input and as a command', async () => {
    needProgram('psql');
    const script = run('psql', ['-X', '-v', 'ON_ERROR_STOP=1', url]);
    script.child.stdin?.end(
      'BEGIN;\n\\copy item (id, code) from stdin\n2\tc2\n3\tc3\n\\.\nCOMMIT;\nCOPY item FROM STDIN;\n4\tx\t5\t\\N\n\\.\n',
    );
    assert.match((await script).stdout, /BEGIN\nCOPY 2\nCOMMIT\nCOPY 1\n/);
    const command = `\\copy item (id, name) from program 'echo 5,y' csv`;
    assert.is((await run('psql', ['-X', '-c', command, url])).stdout, 'COPY 1\n');
    assert.equal(await staged(), [
      [1, 'a', 1, 'c1'],
      [2, 'd', null, 'c2'],
      [3, 'd', null, 'c3'],
      [4, 'x', 5, null],
      [5, 'y', null, null],
    ]);
  });

  test('postgres.js: a writable stream, in and out of a transaction', async () => {
    const sql = postgres(url, { max: 1, onnotice: () => undefined });
    try {
      await pipeline(
        ['2\tx\n', '3\t', 'y\n'],
        await sql`COPY item (id, name) FROM STDIN`.writable(),
      );
      await sql.begin(async (own) => {
        await pipeline(['4\tz\n'], await own`COPY item (id, name) FROM STDIN`.writable());
        assert.is((await own`SELECT count(*)::int AS count FROM item`)[0]?.['count'], 4);
      });
      assert.is((await sql`SELECT count(*)::int AS count FROM item`)[0]?.['count'], 4);
    } finally {
      await sql.end();
    }
  });

  test('node-postgres: gives up the data that it does not have, and goes on', async () => {
    const client = await proxied.connect(url);
    const failure = await client
      .query('COPY item FROM STDIN')
      .catch((error: Error) => error.message);
    assert.match(String(failure), /COPY from stdin failed/);
    assert.is((await client.query('SELECT 1 AS one')).rows[0].one, 1);
  });

  test('is logged as one insert, without its data', async () => {
    const copy = q('COPY item (id, name) FROM STDIN WHERE id <> 3');
    await runScript(url, [copy, data('2\tx\n3\ty\n4\tz\n'), done, q('COPY item FROM STDIN'), done]);
    const [entry, ...others] = await mutations();
    assert.equal(others, []);
    assert.is(entry.type, 'INSERT');
    assert.is(entry.table, 'item');
    assert.is(entry.query, 'COPY item (id, name) FROM STDIN WHERE id <> 3');
    assert.equal(entry.params, []);
    assert.is(entry.affected_rows, 2);
  });

  test('is approved as if it had been direct', async () => {
    await runScript(url, [q('COPY counted FROM STDIN'), data('7\tx\n8\ty\n'), done]);
    await proxied.daemon.call('POST', `/sessions/${session}/propose`);
    assert.is((await proxied.daemon.call('POST', `/sessions/${session}/approve`)).status, 200);
    assert.equal(
      await proxied.database.query('SELECT * FROM counted'),
      [
        { id: '7', name: 'x' },
        { id: '8', name: 'y' },
      ].map(({ id, name }) => ({ id: Number(id), name })),
    );
    await proxied.database.query('DELETE FROM counted');
  });

  test('errors tell the line of the data', async () => {
    const wrong: readonly (readonly [copy: string, data: string])[] = [
      ['COPY item (id, name) FROM STDIN', '5\tx\n1\ty\n'],
      ['COPY item (id, name, code) FROM STDIN CSV HEADER', 'id,name,code\n5,x,c1\n'],
      ['COPY item (id, name) FROM STDIN', '5\tx\n6\t\\N\n'],
      ['COPY item (id, name, amount) FROM STDIN', '5\tx\t-1\n'],
      ['COPY item (id, name) FROM STDIN', '5\ttoo long\n'],
      ['COPY item (id, name) FROM STDIN', 'x\ty\n'],
      ['COPY item (id, name) FROM STDIN', '5\n'],
      ['COPY item (id, name) FROM STDIN CSV', '5,"\n'],
      ['COPY item (id, name) FROM STDIN WHERE 1 / (id - 5) > 0', '5\tx\n'],
    ];
    for (const [copy, text] of wrong) {
      const messages = [q(copy), data(text), done];
      assert.equal(await errorOf(url, messages), await errorOf(proxied.twin.url, messages), copy);
    }
  });

  test('options of newer versions', async () => {
    const scripts = [
      ...(major >= 16
        ? [[`COPY item (id, name) FROM STDIN (DEFAULT '\\D')`, '2\t\\D\n3\tx\n']]
        : []),
      ...(major >= 17
        ? [['COPY item (id, name) FROM STDIN (ON_ERROR ignore)', 'x\ty\n4\tx\n']]
        : []),
      ...(major >= 17
        ? [['COPY item (id) FROM STDIN (ON_ERROR ignore, LOG_VERBOSITY verbose)', 'x\n5\ny\n']]
        : []),
      ...(major >= 18
        ? [['COPY item (id) FROM STDIN (ON_ERROR ignore, REJECT_LIMIT 1)', 'x\n6\ny\n']]
        : []),
      ['COPY item (id) FROM STDIN (ON_ERROR nonsense)', '7\n'],
      ['COPY item FROM STDIN (FORMAT csv, HEADER match)', 'id,name,amount,code\n8,x,1,\n'],
      ['COPY item FROM STDIN (FORMAT csv, HEADER match)', 'id,name,amount\n8,x,1,\n'],
      [`COPY item FROM STDIN (ENCODING latin1)`, Buffer.from('9\t\xe4\t1\t\\N\n', 'latin1')],
    ] as const;
    const messages = scripts.flatMap(([copy = '', text = '']) => [
      q(String(copy)),
      data(text),
      done,
    ]);
    const rows = [q('SELECT * FROM item ORDER BY id'), q('SELECT name FROM counted ORDER BY 1')];
    assert.equal(
      await runScript(url, [...messages, ...rows]),
      await runScript(proxied.twin.url, [...messages, ...rows]),
    );
  });

  test('a client that goes half way leaves nothing', async () => {
    const wire = await connectWire(url);
    wire.send(q('COPY item (id) FROM STDIN'), data('2\n'), data('3\n').subarray(0, 3));
    await wire.readTo(backend.copyInResponse);
    wire.close();
    await until(async () => {
      const [row] = await proxied.database.query<{ count: string }>(
        `SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'COPY%' AND state = 'active'
           AND datname = current_database() AND pid <> pg_backend_pid()`,
      );
      return Number(row?.count) === 0;
    });
    assert.equal(await staged(), [[1, 'a', 1, 'c1']]);
    assert.equal(await mutations(), []);
  });

  test('what has no place between the data ends the connection, as at the server', async () => {
    for (const intruder of [q('DELETE FROM item'), p('SELECT 1')]) {
      const wire = await connectWire(url);
      wire.send(q('COPY item (id) FROM STDIN'), data('2\n'), intruder);
      const last = (await wire.readToEnd()).at(-1);
      const fields = decodeErrorFields(last?.payload ?? Buffer.alloc(0));
      assert.is(fields.get('S'), 'FATAL');
      assert.is(fields.get('C'), '08P01');
      assert.match(fields.get('M') ?? '', /unexpected message type 0x5[01] during COPY from stdin/);
    }
    assert.equal(await staged(), [[1, 'a', 1, 'c1']]);
  });

  test('is refused under row-level security, as by PostgreSQL', async () => {
    const { database, twin, daemon } = proxied;
    const setUp = 'GRANT SELECT, INSERT ON own TO $role; ALTER TABLE own ENABLE ROW LEVEL SECURITY';
    const role = await createRole(database, setUp);
    const other = await createRole(twin, setUp);
    try {
      const messages = [q('COPY own FROM STDIN'), data('1\n'), done];
      const answers = await runScript(daemon.clientUrl(session, role.name, role.name), messages);
      assert.equal(answers, await runScript(twin.urlFor(other.name, other.name), messages));
      assert.match(answers[0] ?? '', /COPY FROM not supported with row-level security/);
    } finally {
      await role.drop();
      await other.drop();
    }
  });

  test('a table changed behind known names is looked at again', async () => {
    const copies = [
      (line: string) => [q('COPY counted (name) FROM STDIN'), data(line), done],
      (line: string) => [p('COPY counted (name) FROM STDIN'), b(), e(), s, data(line), done, s],
    ];
    for (const [index, copy] of copies.entries()) {
      const wire = await connectWire(url);
      wire.send(...copy('a\n'));
      await wire.readTo(backend.commandComplete);
      await proxied.database.query(
        `ALTER TABLE counted ADD CONSTRAINT not_${index} CHECK (name <> 'n${index}')`,
      );
      wire.send(...copy(`n${index}\n`));
      const answer = (await wire.readTo(backend.errorResponse)).at(-1);
      const fields = decodeErrorFields(answer?.payload ?? Buffer.alloc(0));
      assert.is(fields.get('n'), `not_${index}`);
      wire.close();
    }
  });
});

/** Returns the fields of the error that a script gets, without places in the server's source. */
async function errorOf(url: string, messages: readonly Buffer[]): Promise<string[][]> {
  const wire = await connectWire(url);
  wire.send(...messages);
  const answer = (await wire.readTo(backend.errorResponse)).at(-1);
  wire.close();
  const fields = [...decodeErrorFields(answer?.payload ?? Buffer.alloc(0))];
  return fields.filter(([code]) => !['F', 'L', 'R'].includes(code));
}
