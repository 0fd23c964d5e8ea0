/** Sessions in a copy of their database, in which OIDs belong to other tables: staged rows stay with their tables. */
import pg from 'pg';
import { startDaemon } from '../../src/daemon/start.ts';
import type { Cluster } from '../helpers/clusters.ts';
import { dumpAndRestore, startCluster } from '../helpers/clusters.ts';
import { testConfig } from '../helpers/daemon.ts';
import type { Answer } from '../helpers/http.ts';
import { callHttp } from '../helpers/http.ts';
import { shiftOids, skipOids } from '../helpers/shifted-oids.ts';
import { assert, suite } from '../helpers/suite.ts';

/** Enough tables that OIDs of one database belong to other tables in the next. */
const tables = Array.from({ length: 36 }, (_, n) => `t${String(n).padStart(3, '0')}`);
/** In another order than pg_dump's, which sorts by name. */
const shuffled = tables.map((_, n) => tables[(n * 29 + 11) % tables.length]);

/** The tables differ only in their names. A dropped column changes the numbers of the columns after it. */
const schema = shuffled.map(
  (name, n) => `${skipOids(n % 4)}
CREATE TABLE ${name} (id int PRIMARY KEY, gone int, v text);
ALTER TABLE ${name} DROP COLUMN gone;
INSERT INTO ${name} SELECT g, 'old' FROM generate_series(1, 3) g;`,
);
const others = `
CREATE TABLE parent (id int PRIMARY KEY, v text);
CREATE TABLE child (id int PRIMARY KEY, parent int REFERENCES parent ON DELETE CASCADE, v text);
CREATE TABLE bag (v int, w text);
CREATE VIEW short AS SELECT * FROM parent WHERE id < 50;
CREATE TABLE renamed (id int PRIMARY KEY, v text);
CREATE TABLE dropped (id int PRIMARY KEY, v text);
CREATE TABLE altered (id int PRIMARY KEY, v text, w text);
INSERT INTO parent SELECT g, 'p' FROM generate_series(1, 9) g; INSERT INTO child SELECT g, g, 'c' FROM generate_series(1, 9) g;
INSERT INTO bag VALUES (1, 'a'), (1, 'a'), (2, 'b'); INSERT INTO renamed VALUES (1, 'old'); INSERT INTO dropped VALUES (1, 'old');`;

const contents = `
SELECT json_object_agg(c.relname, (xpath('/table/row', query_to_xml(format('SELECT * FROM %I t ORDER BY t::text', c.relname), false, false, '')))::text) AS rows
FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'`;

interface Served {
  call(method: string, path: string): Promise<Answer>;
  newSession(): Promise<string>;
  run(session: string, ...statements: string[]): Promise<unknown[]>;
}

async function serving<T>(url: string, work: (served: Served) => Promise<T>): Promise<T> {
  const stderr = { write: () => undefined };
  const daemon = await startDaemon(testConfig({ upstream: url }), {
    env: {},
    stderr,
    version: '0',
  });
  const call = (method: string, path: string) => callHttp(daemon.restUrl, method, path);
  try {
    return await work({
      call,
      newSession: async () =>
        (await callHttp(daemon.restUrl, 'POST', '/sessions', { json: { reads: 'staged' } })).body
          .id,
      run: (session, ...statements) => runOn(url, daemon.proxyAddress, session, statements),
    });
  } finally {
    await daemon.stop();
  }
}

async function runOn(
  upstream: string,
  proxy: { readonly host: string; readonly port: number },
  session: string,
  statements: readonly string[],
): Promise<unknown[]> {
  const url = new URL(upstream);
  url.hostname = proxy.host;
  url.port = String(proxy.port);
  url.search = `?options=${encodeURIComponent(`-c service_session=${session}`)}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    const results: unknown[] = [];
    for (const text of statements) results.push((await client.query(text)).rows);
    return results;
  } finally {
    await client.end();
  }
}

interface Staged {
  /** A session that continues. */
  readonly active: string;
  readonly shown: unknown[];
  /** The sessions of one table each, with the table. */
  readonly single: readonly (readonly [string, string])[];
  readonly mixed: string;
  /** A session with a value of a column that its table then lost. */
  readonly parked: string;
  readonly renamed: string;
  readonly dropped: string;
  readonly diffs: ReadonlyMap<string, string>;
}

const mixedWrites = [
  `UPDATE parent SET v = 'changed' WHERE id = 1`,
  'DELETE FROM parent WHERE id = 5',
  `UPDATE bag SET w = 'z' WHERE v = 1`,
  `UPDATE short SET v = v || '!' WHERE id = 2`,
  `INSERT INTO child VALUES (100, 1, 'new')`,
];
const mixedReads = [
  'SELECT * FROM parent ORDER BY id',
  'SELECT * FROM short ORDER BY id',
  'SELECT * FROM child ORDER BY id',
  'SELECT * FROM bag ORDER BY v, w',
];

const migration = `
ALTER TABLE renamed RENAME TO renamed_since; CREATE TABLE renamed (LIKE renamed_since INCLUDING ALL);
DROP TABLE dropped; CREATE TABLE dropped (id int PRIMARY KEY, v text);
INSERT INTO renamed VALUES (1, 'old'); INSERT INTO dropped VALUES (1, 'old');`;

/** Stages in a fresh database of the cluster. */
async function stageWork(cluster: Cluster, database: string): Promise<Staged> {
  await cluster.query('postgres', `CREATE DATABASE ${database}`);
  // far beyond the OIDs that the other cluster assigns in two restores
  for (let round = 0; round < 9; round += 1) await cluster.query(database, skipOids(1300));
  await cluster.query(database, [...schema, others].join('\n'));
  return serving(cluster.urlOf(database), async ({ call, newSession, run }) => {
    const single: [string, string][] = [];
    for (const table of tables.filter((_, n) => n % 3 === 0)) {
      const session = await newSession();
      await run(session, `UPDATE ${table} SET v = 'of ${table}' WHERE id = 2`);
      single.push([session, table]);
    }
    const [mixed, renamed, dropped] = [await newSession(), await newSession(), await newSession()];
    await run(mixed, ...mixedWrites);
    const [active, parked] = [await newSession(), await newSession()];
    await run(parked, `INSERT INTO altered VALUES (1, 'v', 'w')`);
    await cluster.query(database, 'ALTER TABLE altered DROP COLUMN w');
    await call('GET', `/sessions/${parked}/conflicts`);
    const shown = await run(active, ...mixedWrites, ...mixedReads);
    await run(renamed, `UPDATE renamed SET v = 'new' WHERE id = 1`);
    await run(dropped, `UPDATE dropped SET v = 'new' WHERE id = 1`);
    const diffs = new Map<string, string>();
    for (const session of [...single.map(([id]) => id), mixed, parked, renamed, dropped]) {
      await call('POST', `/sessions/${session}/propose`);
      diffs.set(session, JSON.stringify((await call('GET', `/sessions/${session}/diff`)).body));
    }
    // nobody notices the effects of this migration before the copy is made
    await cluster.query(database, migration);
    return {
      active,
      shown: shown.slice(mixedWrites.length),
      single,
      mixed,
      parked,
      renamed,
      dropped,
      diffs,
    };
  });
}

/** Asserts that each session shows the same as before, and that its approval changes the rows that it named, and no others. */
async function demandSame(
  cluster: Cluster,
  database: string,
  staged: Staged,
  most: number,
): Promise<void> {
  const rows = async () =>
    (await cluster.query<{ rows: Record<string, string> }>(database, contents))[0]?.rows ?? {};
  await serving(cluster.urlOf(database), async ({ call, newSession, run }) => {
    for (const session of [...staged.single.map(([id]) => id), staged.mixed, staged.parked]) {
      const { status, body } = await call('GET', `/sessions/${session}/diff`);
      assert.is(status, 200, JSON.stringify(body));
      assert.is(JSON.stringify(body), staged.diffs.get(session));
      const conflicts = await call('GET', `/sessions/${session}/conflicts`);
      assert.is(conflicts.body.conflicts.length, session === staged.parked ? 1 : 0);
    }
    assert.equal(await run(staged.active, ...mixedReads), staged.shown);
    await run(staged.active, `UPDATE parent SET v = v || '?' WHERE id = 1`);
    const dropped = await call('POST', `/sessions/${staged.dropped}/approve`);
    assert.is(dropped.status, 409);
    assert.is(dropped.body.conflicts[0].kind, 'schema');
    // new staged rows, in tables that have OIDs of other tables
    const later = await newSession();
    for (const table of tables.slice(0, 6))
      await run(later, `UPDATE ${table} SET v = 'later' WHERE id = 3`);
    let before = await rows();
    for (const [session, table] of staged.single.slice(0, most)) {
      const { status, body } = await call('POST', `/sessions/${session}/approve`);
      assert.is(status, 200, JSON.stringify(body));
      const after = await rows();
      const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
      assert.equal(changed, [table]);
      assert.match(after[table] ?? '', `of ${table}`);
      before = after;
    }
    await call('POST', `/sessions/${staged.renamed}/approve`);
    const [names] = await cluster.query<{ names: string }>(
      database,
      'SELECT (SELECT v FROM renamed) || (SELECT v FROM dropped) AS names',
    );
    assert.is(names?.names, 'oldold');
    const { status, body } = await call('POST', `/sessions/${staged.mixed}/approve`);
    assert.is(status, 200, JSON.stringify(body));
    assert.equal((await call('GET', `/sessions/${later}/diff`)).body.summary?.tables ?? 6, 6);
    assert.is((await call('GET', '/audit/verify')).body.ok ?? true, true);
  });
}

suite('a copy of a database', (test) => {
  let origin: Cluster | null = null;
  let staged: Staged;
  test.after(async () => origin?.stop());

  async function started(): Promise<Cluster> {
    if (origin !== null) return origin;
    origin = await startCluster();
    staged = await stageWork(origin, 'shop');
    return origin;
  }

  test(
    'restored in another cluster, where OIDs mean other tables',
    async () => {
      const first = await started();
      const other = await startCluster();
      try {
        await other.query('postgres', 'CREATE DATABASE shop');
        await shiftOids(first, other, 'shop', tables);
        await dumpAndRestore(first.urlOf('shop'), other.urlOf('shop'));
        const collisions = await other.query(
          'shop',
          'SELECT FROM stage.overlay o JOIN pg_class c ON c.oid = o.relation WHERE c.relname <> o.table_name',
        );

        assert.ok(collisions.length > 0, 'no OID collides: the test shows nothing');
        await demandSame(other, 'shop', staged, tables.length);
      } finally {
        await other.stop();
      }
    },
    { timeout: 240_000 },
  );

  test(
    'restored beside it in the same cluster',
    async () => {
      const cluster = await started();
      await cluster.query('postgres', 'CREATE DATABASE beside');
      await dumpAndRestore(cluster.urlOf('shop'), cluster.urlOf('beside'));
      await demandSame(cluster, 'beside', staged, 3);
    },
    { timeout: 240_000 },
  );

  test(
    'made from it as from a template',
    async () => {
      const cluster = await started();
      await cluster.query('postgres', 'CREATE DATABASE copied TEMPLATE shop');
      await demandSame(cluster, 'copied', staged, 3);
    },
    { timeout: 240_000 },
  );
});
