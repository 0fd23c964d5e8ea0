/**
 * Connections share resolved names with those that begin later. Definitions change at random in between. Each new connection, in its own
 * session, gets the responses that the twin returns to a connection that begins there.
 */
import pg from 'pg';
import { drawn, firstSeed } from '../helpers/net.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import type { Random } from '../helpers/random.ts';
import { createRandom } from '../helpers/random.ts';
import type { TestRole } from '../helpers/roles.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE SCHEMA a; CREATE SCHEMA b;
CREATE DOMAIN public.small AS int;
CREATE FUNCTION public.code(int) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN $1 + 1; END';
CREATE TABLE a.t (id int PRIMARY KEY, v public.small, w text DEFAULT 'w');
CREATE TABLE a.u (id int PRIMARY KEY, v int);
CREATE TABLE a.part (id int, v int) PARTITION BY RANGE (id);
CREATE TABLE a.part_1 PARTITION OF a.part FOR VALUES FROM (0) TO (100);
CREATE TABLE a.child (id int PRIMARY KEY, v int);
CREATE VIEW a.seen AS SELECT id, v FROM a.t;
INSERT INTO a.t SELECT g, g FROM generate_series(1, 4) g; INSERT INTO a.u SELECT g, g FROM generate_series(1, 4) g;
INSERT INTO a.part SELECT g, g FROM generate_series(1, 4) g; INSERT INTO a.child SELECT g, g FROM generate_series(1, 4) g;`;

/** Changes of definitions. One that is not possible is skipped. */
const changes = [
  () => 'ALTER TABLE a.t ADD COLUMN more int DEFAULT 5',
  () => 'ALTER TABLE a.t DROP COLUMN more CASCADE',
  () => "ALTER TABLE a.t ALTER w SET DEFAULT upper('x')",
  () => 'ALTER TABLE a.u ALTER v SET DEFAULT public.code(1)',
  () => 'ALTER TABLE a.u ALTER v DROP DEFAULT',
  () =>
    'ALTER TABLE a.t RENAME TO former; CREATE TABLE a.t (id int PRIMARY KEY, v text, w text); INSERT INTO a.t VALUES (1, 1, 1)',
  () =>
    'DROP VIEW a.seen; DROP TABLE a.t; ALTER TABLE a.former RENAME TO t; CREATE VIEW a.seen AS SELECT id, v FROM a.t',
  () =>
    "CREATE TABLE b.t (id int PRIMARY KEY, v text, w text); INSERT INTO b.t VALUES (7, 'b', 'b')",
  () => 'DROP TABLE b.t',
  () => 'CREATE OR REPLACE VIEW a.seen AS SELECT id, v, w FROM a.t WHERE id < 3',
  () => 'DROP VIEW a.seen; CREATE VIEW a.seen AS SELECT id, v FROM a.u',
  (n: number) => `ALTER DOMAIN public.small ADD CONSTRAINT at_most CHECK (VALUE < ${50 + n})`,
  () => 'ALTER DOMAIN public.small DROP CONSTRAINT at_most',
  (n: number) => `ALTER TABLE a.u ADD CONSTRAINT once CHECK (v <> ${n})`,
  () => 'ALTER TABLE a.u DROP CONSTRAINT once',
  () => 'CREATE UNIQUE INDEX one_v ON a.u (v)',
  () => 'DROP INDEX a.one_v',
  () => 'CREATE TABLE a.part_2 PARTITION OF a.part FOR VALUES FROM (100) TO (1000)',
  () => 'DROP TABLE a.part_2',
  () => 'ALTER TABLE a.child INHERIT a.u',
  () => 'ALTER TABLE a.child NO INHERIT a.u',
  () => 'REVOKE UPDATE ON a.u FROM $role',
  () => 'GRANT ALL ON ALL TABLES IN SCHEMA a, b TO $role',
  () => 'REVOKE USAGE ON SCHEMA b FROM $role',
  () => 'GRANT USAGE ON SCHEMA b TO $role',
  () => 'ALTER TABLE a.u ENABLE ROW LEVEL SECURITY; CREATE POLICY few ON a.u USING (id < 3)',
  () => 'DROP POLICY few ON a.u; ALTER TABLE a.u DISABLE ROW LEVEL SECURITY',
  () =>
    "CREATE FUNCTION b.concat(text, int) RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $2 || $1; END'",
  () => 'DROP FUNCTION b.concat(text, int)',
  () =>
    `CREATE FUNCTION b.glue(text, int) RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $2 || $1; END';
     CREATE OPERATOR b.|| (FUNCTION = b.glue, LEFTARG = text, RIGHTARG = int)`,
  () => 'DROP OPERATOR b.|| (text, int); DROP FUNCTION b.glue(text, int)',
];

const statements = [
  (n: number) => `INSERT INTO t (id, v) VALUES (${n}, ${n}) RETURNING *`,
  (n: number) => `INSERT INTO u VALUES (${n}, ${n}) RETURNING *`,
  (n: number) => `INSERT INTO u (id) VALUES (${n}) RETURNING *`,
  (n: number) => `INSERT INTO part VALUES (${n}, ${n}) RETURNING *`,
  (n: number) =>
    `INSERT INTO u VALUES (${n % 5}, ${n}) ON CONFLICT (id) DO UPDATE SET v = EXCLUDED.v RETURNING *`,
  (n: number) => `UPDATE t SET v = ${n} WHERE id = 1 RETURNING *`,
  (n: number) => `UPDATE u SET v = ${n} WHERE id IN (1, 3) RETURNING *`,
  (n: number) =>
    `UPDATE t SET w = 'new' FROM u WHERE u.id = t.id AND u.id < ${n % 5} RETURNING t.*`,
  () => `UPDATE t SET w = lower(w) || upper('x') WHERE id = 1 RETURNING *`,
  (n: number) => `UPDATE t SET w = concat(w, ${n}) WHERE id = 1 RETURNING *`,
  (n: number) => `UPDATE t SET w = w || ${n} WHERE id = 1 RETURNING *`,
  () => 'DELETE FROM t WHERE id = 2 RETURNING *',
  () => 'DELETE FROM u WHERE id = 3',
  () => 'SELECT * FROM t ORDER BY id',
  () => 'SELECT * FROM u ORDER BY id, v',
  () => 'SELECT * FROM seen ORDER BY id',
  () => 'SELECT count(*), sum(v) FROM part',
  (n: number) => `UPDATE seen SET v = ${n} WHERE id = 1 RETURNING *`,
];
const paths = ['a,public', 'a,public', 'b,a,public'];

/** A new connection: its role, its search path, and the statements that it runs. */
interface Beginning {
  readonly isRole: boolean;
  readonly path: string;
  readonly texts: readonly string[];
  readonly inBlock: boolean;
}

function drawBeginning(random: Random): Beginning {
  const count = 1 + random.below(3);
  return {
    isRole: random.chance(0.5),
    path: random.pick(paths),
    texts: Array.from({ length: count }, () => random.pick(statements)(10 + random.below(140))),
    inBlock: random.chance(0.3),
  };
}

async function answer(client: pg.Client, text: string): Promise<string> {
  return client.query({ text, rowMode: 'array' }).then(
    ({ command, rowCount, rows }) =>
      `${text}: ${command} ${rowCount} ${JSON.stringify(rows.map((row) => JSON.stringify(row)).sort())}`,
    ({ code }) => `${text}: ${code}`,
  );
}

const isError = (reported: string) => /: [0-9A-Z]{5}$/.test(reported);

suite('names that connections have learned', (test) => {
  let proxied: Proxied;
  let role: TestRole;
  test.before(async () => {
    proxied = await startProxied(schema);
    const rights =
      'GRANT USAGE ON SCHEMA a, b TO $role; GRANT ALL ON ALL TABLES IN SCHEMA a TO $role';
    role = await createRole(proxied.database, rights);
    await proxied.twin.query(rights.replaceAll('$role', role.name));
  });
  test.after(async () => {
    await proxied.twin.query(`DROP OWNED BY ${role.name}`);
    await role.drop();
    await proxied.stop();
  });

  /** Connects with a search path. */
  async function connect(base: string, path: string): Promise<pg.Client> {
    const url = new URL(base);
    const options = url.searchParams.get('options') ?? '';
    url.searchParams.set('options', `${options} -c search_path=${path}`.trim());
    const client = new pg.Client({ connectionString: url.href.replaceAll('+', '%20') });
    await client.connect();
    return client;
  }

  async function inSession(url: string, { path, texts, inBlock }: Beginning): Promise<string[]> {
    const client = await connect(url, path);
    const answers: string[] = [];
    if (inBlock) await client.query('BEGIN');
    for (const text of texts) answers.push(await answer(client, text));
    if (inBlock) await client.query('ROLLBACK');
    await client.end();
    return answers;
  }

  /** Runs the same on the twin, and rolls it back. */
  async function onTwin(url: string, { path, texts, inBlock }: Beginning): Promise<string[]> {
    const client = await connect(url, path);
    const answers: string[] = [];
    await client.query('BEGIN');
    for (const text of texts) {
      if (!inBlock) await client.query('SAVEPOINT each');
      const reported = await answer(client, text);
      answers.push(reported);
      if (!inBlock && isError(reported)) await client.query('ROLLBACK TO each');
    }
    await client.query('ROLLBACK');
    await client.end();
    return answers;
  }

  /** Describes how a new connection differs from one on the twin. Unsupported statements may be refused, with all that follow. */
  async function demandSame(beginning: Beginning, history: string): Promise<boolean> {
    const { daemon, twin } = proxied;
    const id = await daemon.newSession({ reads: 'staged' });
    const [name, password] = [role.name, role.name];
    const [url, twinUrl] = beginning.isRole
      ? [daemon.clientUrl(id, name, password), twin.urlFor(name, password)]
      : [daemon.clientUrl(id), twin.url];
    const found = await inSession(url, beginning);
    const expected = await onTwin(twinUrl, beginning);
    const refused = found.findIndex((reported) => reported.endsWith(': 0A000'));
    const compared = refused < 0 ? found.length : refused;
    assert.equal(found.slice(0, compared), expected.slice(0, compared), history);
    return refused >= 0;
  }

  async function change(text: string): Promise<string> {
    const [first, second] = await Promise.all(
      [proxied.database, proxied.twin].map((each) =>
        each.query(text).then(
          () => 'done',
          ({ code }) => String(code),
        ),
      ),
    );
    assert.is(first, second, text);
    return `${text}: ${first}`;
  }

  test(
    'mean on a new connection what they mean on the tables themselves',
    async () => {
      const seed = firstSeed();
      const random = createRandom(seed);
      const history = [`seed ${seed}`];
      const count = drawn(60, 'SHARED_NAMES');
      let refused = 0;
      for (let step = 0; step < count; step += 1) {
        if (random.chance(0.4))
          history.push(await change(random.pick(changes)(step).replaceAll('$role', role.name)));
        const beginning = drawBeginning(random);
        history.push(JSON.stringify(beginning));
        if (await demandSame(beginning, history.slice(-40).join('\n'))) refused += 1;
      }
      assert.ok(refused < count / 5, `${refused} of ${count} refused`);
    },
    { timeout: 600_000 },
  );
});
