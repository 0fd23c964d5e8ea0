/**
 * A login that takes other roles: random conversations with all forms of SET ROLE, inside and outside of blocks, between reads and writes
 * under each role's rights, policies and search path. Every response equals the twin's, and approval applies what was staged.
 */
import pg from 'pg';
import { createRole, testRole } from '../helpers/both-ways.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import type { Random } from '../helpers/random.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';

const [login, web, clerk, alien] = [
  testRole('login'),
  testRole('web'),
  testRole('clerk'),
  testRole('alien'),
];
const everyone = [login, web, clerk, alien].map(({ name }) => name);
const roles = `${createRole(login, 'NOINHERIT')}${[web, clerk, alien].map((role) => createRole(role)).join('')}
GRANT ${web.name}, ${clerk.name} TO ${login.name};`;

const claim = `current_setting('request.tenant', true)`;
const schema = `
CREATE SCHEMA ${web.name} AUTHORIZATION ${web.name}; CREATE SCHEMA ${clerk.name} AUTHORIZATION ${clerk.name};
CREATE TABLE ${web.name}.own (id int PRIMARY KEY, v text); CREATE TABLE ${clerk.name}.own (id int PRIMARY KEY, v text, w int DEFAULT 3);
ALTER TABLE ${web.name}.own OWNER TO ${web.name}; ALTER TABLE ${clerk.name}.own OWNER TO ${clerk.name};
CREATE TABLE todo (id int PRIMARY KEY, tenant text NOT NULL DEFAULT ${claim}, task text CHECK (task <> ''), by name DEFAULT current_user);
ALTER TABLE todo ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenants ON todo TO ${web.name} USING (tenant = ${claim}) WITH CHECK (tenant = ${claim});
CREATE POLICY everything ON todo TO ${clerk.name} USING (true) WITH CHECK (by = current_user);
CREATE FUNCTION become(text) RETURNS text LANGUAGE plpgsql AS $$BEGIN RETURN set_config('role', $1, false); END$$;
CREATE TABLE price (id int PRIMARY KEY, net int, note text);
CREATE VIEW seen WITH (security_invoker) AS SELECT id, task, current_user AS who FROM todo;
CREATE TABLE part (id int, v int, PRIMARY KEY (id)) PARTITION BY RANGE (id);
CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (1000);
GRANT SELECT, INSERT, UPDATE, DELETE ON todo TO ${web.name}, ${clerk.name}; GRANT SELECT ON seen TO ${web.name}, ${clerk.name};
GRANT SELECT, UPDATE (net) ON price TO ${web.name}; GRANT SELECT, INSERT, UPDATE, DELETE ON price TO ${clerk.name};
GRANT SELECT, INSERT, UPDATE, DELETE ON part TO ${clerk.name};
INSERT INTO todo VALUES (1, 'a', 'one', '${web.name}'), (2, 'b', 'two', '${web.name}'), (3, 'a', 'three', '${clerk.name}');
INSERT INTO price VALUES (1, 10, 'x'), (2, 20, 'y'); INSERT INTO part VALUES (1, 1), (2, 2);
INSERT INTO ${web.name}.own VALUES (1, 'web'); INSERT INTO ${clerk.name}.own VALUES (1, 'clerk');`;

type Draw = (random: Random, n: number) => string;

const named: Draw = (random) =>
  random.pick([web, web, web, clerk, clerk, clerk, login, alien]).name;
const changes: readonly Draw[] = [
  (random, n) => `SET ROLE ${named(random, n)}`,
  (random, n) => `SET ROLE ${named(random, n)}`,
  (random, n) => `SET LOCAL ROLE ${named(random, n)}`,
  (random, n) => `SET role = '${named(random, n)}'`,
  (random, n) => `SELECT set_config('role', '${named(random, n)}', ${random.chance(0.7)})`,
  (random, n) =>
    `SELECT set_config('role', '${named(random, n)}', true), set_config('request.tenant', '${random.pick(['a', 'b'])}', true)`,
  (random, n) => `SELECT become('${named(random, n)}')`,
  (random) =>
    random.pick([
      'RESET ROLE',
      'SET ROLE NONE',
      'RESET ALL',
      'DISCARD ALL',
      'RESET SESSION AUTHORIZATION',
    ]),
  () => 'SET LOCAL search_path = public',
  (random) => `SELECT set_config('request.tenant', '${random.pick(['a', 'b'])}', false)`,
];
const blocks: readonly Draw[] = [
  () => 'BEGIN',
  () => 'COMMIT',
  () => 'COMMIT',
  () => 'ROLLBACK',
  () => 'SAVEPOINT s',
  () => 'ROLLBACK TO s',
];
const statements: readonly Draw[] = [
  () => 'SELECT current_user, session_user',
  () => `SELECT current_user, current_setting('role'), ${claim}`,
  () => 'SHOW role',
  () => 'SELECT * FROM own ORDER BY id',
  () => 'SELECT * FROM todo ORDER BY id',
  () => 'SELECT * FROM seen ORDER BY id',
  () => 'SELECT count(*), sum(net) FROM price',
  () => 'SELECT * FROM part ORDER BY id',
  (_, n) => `INSERT INTO own (id, v) VALUES (${n}, 'n') RETURNING *`,
  (_, n) => `UPDATE own SET v = v || '${n}' WHERE id = 1 RETURNING *`,
  (_, n) => `INSERT INTO todo (id, task) VALUES (${n}, 'new') RETURNING *`,
  (random, n) =>
    `INSERT INTO todo VALUES (${n}, '${random.pick(['a', 'b'])}', 'given') RETURNING *`,
  () => `UPDATE todo SET task = task || '!' RETURNING *`,
  (random) => `DELETE FROM todo WHERE id = ${random.below(4)} RETURNING id`,
  (random) => `UPDATE price SET net = net + 1 WHERE id = ${random.below(3)}`,
  () => `UPDATE price SET note = 'z' WHERE id = 1`,
  (_, n) => `INSERT INTO price VALUES (${n}, 1)`,
  (_, n) => `INSERT INTO part VALUES (${n}, ${n}) RETURNING *`,
  () => 'DELETE FROM part WHERE id = 2 RETURNING *',
  (_, n) => `INSERT INTO todo (id, task) SELECT id + ${n}, note FROM price RETURNING id, by`,
];

interface Step {
  readonly text: string;
  /** Sent as a named statement, which is used again under other roles. */
  readonly isPrepared: boolean;
}

function drawSteps(random: Random): Step[] {
  const kinds = [changes, changes, blocks, statements, statements, statements, statements];
  const role = random.pick([web, clerk]).name;
  const steps = Array.from({ length: 12 + random.below(14) }, (_, index) => {
    const text = random.pick(random.pick(kinds))(random, 10 * (index + 1));
    return { text, isPrepared: random.chance(0.3) };
  });
  return [{ text: `SET ROLE ${role}`, isPrepared: false }, ...steps];
}

async function answer(client: pg.Client, { text, isPrepared }: Step): Promise<string> {
  const name = isPrepared ? { name: text.slice(0, 60) } : {};
  return client.query({ text, rowMode: 'array', ...name }).then(
    ({ command, rowCount, rows }) =>
      `${text}: ${command} ${rowCount} ${rows.map((row) => JSON.stringify(row)).sort()}`,
    ({ code, message }) => `${text}: ${code} ${message}`,
  );
}

async function answers(connectionString: string, steps: readonly Step[]): Promise<string[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const found: string[] = [];
  for (const step of [...steps, { text: 'COMMIT', isPrepared: false }]) {
    const reported = await answer(client, step);
    found.push(reported);
    if (reported.includes(': 25P02 ')) await client.query('ROLLBACK');
  }
  await client.end();
  return found;
}

suite('SET ROLE', (test) => {
  let proxied: Proxied;
  const tables = [`${web.name}.own`, `${clerk.name}.own`, 'todo', 'price', 'part'];
  const rowsOf = async (which: 'database' | 'twin') =>
    (
      await Promise.all(
        tables.map((table) =>
          proxied[which].query<{ row: string }>(`SELECT t::text AS row FROM ${table} t ORDER BY 1`),
        ),
      )
    ).map((rows) => rows.map(({ row }) => row));

  test.before(async () => {
    proxied = await startProxied('SELECT 1');
    await proxied.database.query(roles);
    for (const each of [proxied.database, proxied.twin]) await each.query(schema);
  });
  test.after(async () => {
    for (const each of [proxied.twin, proxied.database])
      await each.query(`DROP OWNED BY ${everyone.join(', ')}`);
    await proxied.database.query(`DROP ROLE ${everyone.join(', ')}`).catch(() => undefined);
    await proxied.stop();
  });

  const seed = firstSeed();
  for (let index = 0; index < drawn(8, 'ROLES'); index += 1) {
    test(`conversation of seed ${seed + index}`, async () => {
      const { daemon, twin } = proxied;
      const random = createRandom(seed + index);
      const { name, password } = login;
      const session = await daemon.newSession({ reads: 'staged' });
      for (let connection = 0; connection < 2; connection += 1) {
        const steps = drawSteps(random);
        assert.equal(
          await answers(daemon.clientUrl(session, name, password), steps),
          await answers(twin.urlFor(name, password), steps),
        );
      }
      await daemon.call('POST', `/sessions/${session}/propose`);
      const { status, text } = await daemon.call('POST', `/sessions/${session}/approve`);
      assert.ok(status === 200 || text.includes('"empty_session"'), text);
      assert.equal(await rowsOf('database'), await rowsOf('twin'));
    });
  }

  test('requests of a middleware that sets role and claims with each', async () => {
    const { daemon, twin } = proxied;
    const { name, password } = login;
    const session = await daemon.newSession({ reads: 'staged' });
    const [staged, direct] = await Promise.all(
      [daemon.clientUrl(session, name, password), twin.urlFor(name, password)].map(requests),
    );
    assert.equal(staged, direct);
    await daemon.call('POST', `/sessions/${session}/propose`);
    const { status, text } = await daemon.call('POST', `/sessions/${session}/approve`);
    assert.is(status, 200, text);
    assert.equal(await rowsOf('database'), await rowsOf('twin'));
  });

  test('a role of the start-up packet is one that was set', async () => {
    const { daemon, twin } = proxied;
    const { name, password } = login;
    const session = await daemon.newSession({ reads: 'staged' });
    const url = new URL(daemon.clientUrl(session, name, password));
    const options = `${url.searchParams.get('options')} -c role=${web.name}`;
    url.searchParams.set('options', options);
    const steps = ['SELECT current_user, session_user', 'SELECT * FROM own', 'SHOW role'].map(
      (text) => ({ text, isPrepared: false }),
    );
    const direct = `${twin.urlFor(name, password)}?options=${encodeURIComponent(`-c role=${web.name}`)}`;
    assert.equal(await answers(url.href, steps), await answers(direct, steps));
  });
});

/** Sends the role, the tenant and the statement of each request. Failed requests are rolled back, and the connection is used again. */
async function requests(connectionString: string): Promise<unknown[]> {
  const insert = `WITH source AS (INSERT INTO public.todo (id, task) SELECT body.id, body.task FROM json_to_recordset($1) AS body (id int, task text) RETURNING *)
    SELECT count(*) AS total, coalesce(json_agg(source), '[]') AS body FROM source`;
  const read = `SELECT coalesce(json_agg(found ORDER BY found.id), '[]') AS body FROM (SELECT * FROM public.todo) found WHERE $1::json IS NOT NULL`;
  const change = `WITH source AS (UPDATE public.todo SET task = body.task FROM json_to_record($1) AS body (task text) WHERE todo.tenant = 'a' RETURNING todo.*)
    SELECT count(*) AS total FROM source`;
  const all: [role: string, tenant: string, text: string, body: unknown][] = [
    [
      web.name,
      'a',
      insert,
      [
        { id: 1001, task: 'posted' },
        { id: 1002, task: 'too' },
      ],
    ],
    [web.name, 'b', read, []],
    [web.name, 'a', read, []],
    [web.name, 'b', insert, [{ id: 1001, task: 'taken' }]],
    [clerk.name, 'b', read, []],
    [web.name, 'b', change, { task: 'not its own' }],
    [web.name, 'a', change, { task: 'patched' }],
    [alien.name, 'a', read, []],
    [clerk.name, 'a', insert, [{ id: 1003, task: '' }]],
    [clerk.name, 'a', insert, [{ id: 1003, task: 'by the clerk' }]],
    [web.name, 'a', read, []],
  ];
  const client = new pg.Client({ connectionString });
  await client.connect();
  const found: unknown[] = [];
  for (const [role, tenant, text, body] of all) {
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE');
    try {
      await client.query({
        name: 'setup',
        text: `SELECT set_config('search_path', $1, true), set_config('role', $2, true), set_config('request.tenant', $3, true), set_config('request.jwt.claims', $4, true)`,
        values: ['"public"', role, tenant, JSON.stringify({ role, tenant })],
      });
      const { rows } = await client.query({
        name: text.slice(0, 40),
        text,
        values: [JSON.stringify(body)],
      });
      found.push(rows);
      await client.query('COMMIT');
    } catch (error) {
      const { code, message } = error as pg.DatabaseError;
      found.push([code, message]);
      await client.query('ROLLBACK');
    }
    found.push((await client.query(`SELECT current_user, ${claim}`)).rows);
  }
  await client.end();
  return found;
}
