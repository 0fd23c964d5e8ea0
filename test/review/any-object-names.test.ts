/**
 * Schemas, tables, views, types, functions, constraints, indexes and roles named like anything in the service's own SQL, like any keyword
 * and like the service's own objects. Each draw names all of them. STAGE_TEST_NAMES is the number of draws, and STAGE_TEST_SEED repeats
 * them.
 */
import { identifiersIn, namesOf } from '../helpers/all-names.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';
import { q, runScript } from '../helpers/wire-script.ts';

const draws = drawn(3, 'NAMES');
const seed = firstSeed();

const kinds = [
  'schema',
  'table',
  'view',
  'type',
  'domain',
  'checks',
  'check',
  'key',
  'unique',
  'index',
  'reference',
  'role',
] as const;
type Drawn = Readonly<Record<(typeof kinds)[number], string>>;

/** Roles that every server has by these names, and schemas of the service. */
const isTaken = (name: string) => /^stage|^(public|none|postgres)$/.test(name);

const created = ({
  schema,
  table,
  view,
  type,
  domain,
  checks,
  check,
  key,
  unique,
  index,
  reference,
  role,
}: Drawn) => `
CREATE SCHEMA ${schema}; GRANT USAGE ON SCHEMA ${schema} TO ${role};
CREATE TYPE ${schema}.${type} AS ENUM ('low', 'high'); CREATE DOMAIN ${schema}.${domain} AS text CHECK (VALUE <> 'never');
CREATE FUNCTION ${schema}.${checks}(int) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 < 1000';
CREATE TABLE ${schema}.${table} (id int CONSTRAINT ${key} PRIMARY KEY, n int CONSTRAINT ${check} CHECK (${schema}.${checks}(n)),
  t ${schema}.${type} DEFAULT 'low', d ${schema}.${domain}, up int CONSTRAINT ${reference} REFERENCES ${schema}.${table} ON DELETE CASCADE,
  CONSTRAINT ${unique} UNIQUE (n) DEFERRABLE);
CREATE UNIQUE INDEX ${index} ON ${schema}.${table} (lower(d));
CREATE VIEW ${schema}.${view} AS SELECT id, n, t FROM ${schema}.${table} WHERE n > 0;
INSERT INTO ${schema}.${table} SELECT g, g, 'low', 'd' || g, CASE g WHEN 6 THEN 5 END FROM generate_series(1, 6) g;
GRANT SELECT, INSERT, UPDATE, DELETE ON ${schema}.${table}, ${schema}.${view} TO ${role};`;

const written = ({ schema, table, view, unique, type }: Drawn) =>
  [
    `INSERT INTO ${schema}.${table} VALUES (10, 10, 'high', 'new', 1) RETURNING *`,
    `INSERT INTO ${schema}.${table} SELECT g, g, 'low', 'g' || g FROM generate_series(20, 22) g`,
    `UPDATE ${schema}.${table} SET n = n + 100, t = 'high'::${schema}.${type} WHERE id IN (1, 2)`,
    `UPDATE ${schema}.${table} SET d = 'again' WHERE id = 2 RETURNING ${table}.*`,
    `INSERT INTO ${schema}.${table} VALUES (3, 33), (30, 30) ON CONFLICT (id) DO UPDATE SET n = excluded.n`,
    `MERGE INTO ${schema}.${table} USING (VALUES (20), (40)) s(i) ON id = s.i WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.i, s.i)`,
    `UPDATE ${schema}.${view} SET n = 77 WHERE id = 6 RETURNING *`,
    `INSERT INTO ${schema}.${table} VALUES (50, 5000)`,
    `INSERT INTO ${schema}.${table} VALUES (51, 77)`,
    `INSERT INTO ${schema}.${table} VALUES (52, 52, 'low', 'NEW')`,
    `INSERT INTO ${schema}.${table} VALUES (53, 53, 'low', 'never')`,
    `INSERT INTO ${schema}.${table} VALUES (54, 54, 'low', 'x', 99)`,
    `BEGIN; SET CONSTRAINTS ${schema}.${unique} DEFERRED; INSERT INTO ${schema}.${table} VALUES (55, 77); COMMIT`,
    `DELETE FROM ${schema}.${table} WHERE id = 5`,
    `SELECT * FROM ${schema}.${table} ORDER BY id`,
    `SELECT * FROM ${schema}.${view} ORDER BY id`,
  ].map(q);

suite('objects that are called like anything', (test) => {
  let proxied: Proxied;
  let names: readonly string[];
  const { below } = createRandom(seed);
  test.before(async () => {
    proxied = await startProxied('', { rehearsalTimeoutMs: 600_000 });
    const all = new Set([
      ...identifiersIn('table'),
      ...identifiersIn('functions'),
      ...(await namesOf(proxied.database)),
    ]);
    names = [...all].filter((name) => !isTaken(name));
  });
  test.after(() => proxied.stop());

  /** Draws distinct names, because some kinds of objects share a namespace. */
  function drawn(): Drawn {
    const taken = new Set<string>();
    while (taken.size < kinds.length) taken.add(names[below(names.length)] ?? '');
    return Object.fromEntries(
      kinds.map((kind, index) => [kind, `"${[...taken][index]}"`]),
    ) as Drawn;
  }

  async function live(draw: Drawn): Promise<void> {
    const { daemon, database, twin } = proxied;
    const story = JSON.stringify(draw);
    const call = async (status: number, method: string, path: string, json = {}) => {
      const answer = await daemon.call(
        method,
        `/sessions/${path}`,
        method === 'GET' ? {} : { json },
      );
      assert.is(answer.status, status, `${story} ${path}: ${answer.text.slice(0, 1000)}`);
      return answer.body;
    };
    const rows = async (from: Pick<typeof database, 'query'>) =>
      (
        await from.query<{ row: string }>(
          `SELECT x::text AS row FROM ${draw.schema}.${draw.table} x ORDER BY id`,
        )
      ).map(({ row }) => row);
    const approve = async (session: string) => {
      await call(200, 'GET', `${session}/diff?steps=true`);
      await call(200, 'POST', `${session}/propose`);
      assert.is((await call(200, 'GET', `${session}/conflicts`)).total_count, 0, story);
      assert.is((await call(200, 'POST', `${session}/rehearse`)).ok, true, story);
      await call(200, 'POST', `${session}/approve`);
    };
    await database.query(`CREATE ROLE ${draw.role} LOGIN PASSWORD 'secret'`);
    try {
      for (const each of [database, twin]) await each.query(created(draw));
      const before = await rows(database);
      const role = draw.role.slice(1, -1);
      const session = await daemon.newSession({ reads: 'staged' });
      // the OIDs of types differ between databases
      const reported = async (url: string) =>
        (await runScript(url, written(draw))).filter((answer) => !answer.startsWith('T'));
      assert.equal(
        await reported(daemon.clientUrl(session, role, 'secret')),
        await reported(twin.urlFor(role, 'secret')),
        story,
      );
      const other = await daemon.newSession({ reads: 'staged' });
      await runScript(daemon.clientUrl(other, role, 'secret'), [
        q(`UPDATE ${draw.schema}.${draw.table} SET d = 'mine' WHERE id = 4`),
      ]);
      await approve(session);
      assert.equal(await rows(database), await rows(twin), story);
      await approve((await call(201, 'POST', `${session}/revert`)).session_id);
      assert.equal(await rows(database), before, story);
      await database.query(`UPDATE ${draw.schema}.${draw.table} SET d = 'theirs' WHERE id = 4`);
      assert.is((await call(200, 'GET', `${other}/conflicts`)).total_count, 1, story);
      await call(200, 'POST', `${other}/resolve`, { all: 'mine' });
      const { tables } = await call(200, 'GET', `${other}/diff`);
      const [table = ''] = Object.keys(tables);
      await call(200, 'POST', `${other}/unstage`, { rows: [{ table, row_id: 4 }] });
      await call(200, 'POST', `${other}/propose`);
      await call(200, 'POST', `${other}/reject`);
    } finally {
      for (const each of [database, twin])
        await each.query(
          `DROP SCHEMA IF EXISTS ${draw.schema} CASCADE; DROP OWNED BY ${draw.role}`,
        );
      await database.query(`DROP ROLE ${draw.role}`);
    }
  }

  for (let number = 1; number <= draws; number += 1)
    test(`draw ${number} of seed ${seed}`, () => live(drawn()), { timeout: 600_000 });
});
