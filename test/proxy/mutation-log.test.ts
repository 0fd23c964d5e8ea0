/** The mutation log stores the client's own text, and the parameters as PostgreSQL reads them. */
import type pg from 'pg';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, e, p, s } from '../helpers/wire-script.ts';

const schema = `
CREATE TYPE mood AS ENUM ('fine');
CREATE TABLE item (id bigint PRIMARY KEY, n numeric, at timestamptz, bytes bytea, doc json, tags text[], feeling mood, ok bool, real float8);
INSERT INTO item (id) SELECT generate_series(1, 5);
`;

interface Logged {
  readonly type: string;
  readonly query: string;
  readonly params: readonly unknown[];
  readonly affected_rows: number;
}

suite('the mutation log', (test) => {
  let proxied: Proxied;
  let session: string;
  let url: string;
  let client: pg.Client;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.beforeEach(async () => {
    session = await proxied.daemon.newSession();
    url = proxied.daemon.clientUrl(session);
    client = await proxied.connect(url);
  });
  test.after(() => proxied.stop());

  const logged = async (): Promise<Logged[]> =>
    (await proxied.daemon.call('GET', `/sessions/${session}/mutations`)).body.mutations.map(
      ({ type, query, params, affected_rows }: Logged) => ({ type, query, params, affected_rows }),
    );

  test('keeps the role that logged in, whatever the client says', async () => {
    const role = await createRole(proxied.database, 'GRANT SELECT ON item TO $role');
    const other = await proxied.connect(proxied.daemon.clientUrl(session, role.name, role.name));
    await other.query('UPDATE item SET n = 1 WHERE id = 1');
    for (const text of ['SET ROLE NONE', `SET application_name = 'postgres'`])
      await other.query(text).catch(() => undefined);
    await other.query(
      'BEGIN; UPDATE item SET n = 2 WHERE id = 2; DELETE FROM item WHERE id = 3; COMMIT',
    );
    await client.query('UPDATE item SET n = 4 WHERE id = 4');
    const { user } = proxied.database;
    const { mutations } = (await proxied.daemon.call('GET', `/sessions/${session}/mutations`)).body;
    assert.equal(
      mutations.map((each: { role: string }) => each.role),
      [role.name, role.name, role.name, user],
    );
    const { roles } = (await proxied.daemon.call('GET', `/sessions/${session}`)).body;
    assert.equal(roles, [role.name, user].sort());
    await other.end();
    await role.drop();
  });

  test('keeps the text as the client wrote it, one statement each', async () => {
    await client.query(
      '/* a */ UPDATE item SET ok = true -- b\n; DELETE FROM public.item WHERE item.id = 5 ;',
    );
    assert.equal(await logged(), [
      { type: 'UPDATE', query: 'UPDATE item SET ok = true -- b', params: [], affected_rows: 5 },
      {
        type: 'DELETE',
        query: 'DELETE FROM public.item WHERE item.id = 5',
        params: [],
        affected_rows: 1,
      },
    ]);
  });

  test('keeps parameters of every type, and NULL', async () => {
    const text =
      'UPDATE item SET n = $2, at = $3, bytes = $4, doc = $5, tags = $6, feeling = $7, ok = $8, real = $9 WHERE id = $1';
    const values = [
      '1',
      '12345678901234567890.10',
      '2026-01-02 03:04:05.123456+00',
      '\\x00ff',
      '{"a" : 1}',
      '{a,"b c"}',
      'fine',
      null,
      'NaN',
    ];
    await client.query(text, values);
    const [{ query, params }] = (await logged()) as [Logged];
    assert.is(query, text);
    const [, n, at, ...rest] = params;
    assert.equal(rest, ['\\x00ff', { a: 1 }, ['a', 'b c'], 'fine', null, 'NaN']);
    assert.is(new Date(String(at)).getTime(), Date.UTC(2026, 0, 2, 3, 4, 5, 123));
    assert.is(typeof n, 'number');
    const raw = await proxied.database.query(
      `SELECT params->>1 AS n FROM stage.mutation ORDER BY id DESC LIMIT 1`,
    );
    assert.equal(raw, [{ n: '12345678901234567890.10' }]);
  });

  test('keeps binary parameters, one format for all or one each', async () => {
    const wire = await proxied.wire(url);
    const two = Buffer.from([0, 0, 0, 0, 0, 0, 0, 2]);
    wire.send(p('UPDATE item SET id = $1 + 10 WHERE id = $2', '', [20]), b([two, two]), e(), s);
    wire.send(
      p('UPDATE item SET real = 1 WHERE id = $1 + 10 AND id < $2', '', [20]),
      b([two, '100']),
      e(),
      s,
    );
    await wire.readTo('Z'.charCodeAt(0), 2);
    assert.equal(
      (await logged()).map(({ params, affected_rows }) => [params, affected_rows]),
      [
        [[2, 2], 1],
        [[2, 100], 1],
      ],
    );
  });

  test('keeps more parameters than a function can have', async () => {
    const values = Array.from({ length: 1500 }, (_, index) => 100 + index);
    const rows = values.map((_, index) => `($${index + 1})`).join(', ');
    const { rowCount } = await client.query(`INSERT INTO item (id) VALUES ${rows}`, values);
    assert.is(rowCount, 1500);
    assert.equal((await logged())[0]?.params, values);
  });

  test('keeps of an EXECUTE what was prepared, and its arguments as parameters', async () => {
    await client.query('PREPARE w (bigint, timestamptz) AS UPDATE item SET at = $2 WHERE id = $1');
    await client.query(`EXECUTE w(1 + 1, '2026-01-01 00:00:00+00')`);
    const [{ query, params }] = (await logged()) as [Logged];
    assert.is(query, 'UPDATE item SET at = $2 WHERE id = $1');
    assert.is(params[0], 2);
    assert.is(new Date(String(params[1])).getTime(), Date.UTC(2026, 0, 1));
  });

  test('keeps each execution of a prepared statement, and none that touched nothing', async () => {
    const named = { name: 'w', text: 'UPDATE item SET ok = $1 WHERE id = $2' };
    for (const id of [1, 2, 99]) await client.query({ ...named, values: [true, id] });
    assert.equal(
      (await logged()).map(({ params }) => params),
      [
        [true, 1],
        [true, 2],
      ],
    );
  });

  test('forgets what is rolled back', async () => {
    await client.query('BEGIN; UPDATE item SET ok = true; ROLLBACK');
    await client.query('UPDATE item SET ok = true; SELECT 1/0').catch(() => undefined);
    await client.query(
      'BEGIN; SAVEPOINT a; DELETE FROM item; ROLLBACK TO a; UPDATE item SET ok = false; COMMIT',
    );
    assert.equal(
      (await logged()).map(({ query }) => query),
      ['UPDATE item SET ok = false'],
    );
  });

  test('every statement counts once, as a read or as a write', async () => {
    const counts = async () => {
      const { text } = await proxied.daemon.call('GET', '/metrics');
      const count = (type: string) =>
        Number(
          new RegExp(`service_proxy_queries_total\\{type="${type}"\\} (\\d+)`).exec(text)?.[1] ?? 0,
        );
      return { read: count('read'), write: count('write') };
    };
    const before = await counts();
    await client.query('SELECT 1; SELECT 2');
    await client.query('SELECT $1::int', [1]);
    await client.query('BEGIN; UPDATE item SET ok = true; TABLE item; COMMIT');
    await client.query('DELETE FROM item WHERE id = $1', [4]);
    await client.query('SET application_name = x');
    const after = await counts();
    assert.equal([after.read - before.read, after.write - before.write], [4, 2]);
  });
});
