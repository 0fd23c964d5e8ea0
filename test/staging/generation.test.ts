/** Objects of another release are rebuilt when they are next used, while sessions live on. */
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import pg from 'pg';
import { createDatabase } from '../../src/db/database.ts';
import { generationOn, generatorFiles, markOutdated } from '../../src/overlay/generation.ts';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase, serverMajor } from '../helpers/database.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE parent (id int PRIMARY KEY, v text);
CREATE TABLE child (id int PRIMARY KEY, parent int REFERENCES parent ON DELETE CASCADE, v text);
CREATE TABLE base (id int PRIMARY KEY, v text);
CREATE TABLE derived (PRIMARY KEY (id)) INHERITS (base);
CREATE TABLE bag (v int);
CREATE TABLE part (id int, v text, PRIMARY KEY (id)) PARTITION BY RANGE (id);
CREATE TABLE part_one PARTITION OF part FOR VALUES FROM (0) TO (100);
CREATE VIEW short AS SELECT id, v FROM parent WHERE id < 50;
CREATE FUNCTION longest() RETURNS text LANGUAGE sql STABLE AS 'SELECT max(v) FROM child';
INSERT INTO parent SELECT g, 'p' FROM generate_series(1, 9) g; INSERT INTO child SELECT g, g, 'c' FROM generate_series(1, 9) g;
INSERT INTO base VALUES (1, 'b'), (2, 'b'); INSERT INTO derived VALUES (11, 'd'), (12, 'd'); INSERT INTO bag VALUES (1), (1), (2);
INSERT INTO part VALUES (1, 'x'), (2, 'x');`;

const writes = (n: number) => [
  `UPDATE parent SET v = 'changed' WHERE id = ${n}`,
  `DELETE FROM parent WHERE id = ${n + 4}`,
  `INSERT INTO parent VALUES (${n}, 'up') ON CONFLICT (id) DO UPDATE SET v = parent.v || excluded.v`,
  `UPDATE base SET v = v || '!' WHERE id IN (${n}, ${n + 10})`,
  `UPDATE bag SET v = v + 10 WHERE v = ${n}`,
  `UPDATE part SET v = 'y' WHERE id = ${n}`,
  `UPDATE short SET v = v || '?' WHERE id = ${n}`,
  `INSERT INTO child VALUES (${n + 100}, ${n}, 'z${n}')`,
];
const reads = [
  'SELECT * FROM parent ORDER BY id',
  'SELECT * FROM base ORDER BY id',
  'SELECT * FROM part_one ORDER BY id',
  'SELECT * FROM short ORDER BY id',
  'SELECT longest()',
];

/** Makes every existing function fail when it runs. */
const spoil = `
DO $$
DECLARE
  v record;
BEGIN
  FOR v IN
    SELECT p.oid, pg_get_functiondef(p.oid) AS definition FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
    WHERE p.pronamespace::regnamespace::text ~ '^stage_(data|upsert|overlay|tree)' AND l.lanname = 'plpgsql'
  LOOP
    EXECUTE regexp_replace(v.definition, '\\nBEGIN\\n', E'\\nBEGIN RAISE EXCEPTION ''of another release'';\\n');
  END LOOP;
END $$;
UPDATE stage.overlay SET generation = 'another'; UPDATE stage.tree SET generation = 'another';
UPDATE stage.staged_view SET generation = 'another'; UPDATE stage.staged_function SET generation = NULL;`;

suite('generations', (test) => {
  let database: TestDatabase;
  let daemon: TestDaemon;
  const clients: pg.Client[] = [];
  test.before(async () => {
    database = await createTestDatabase({ template: 'empty' });
    await database.query(schema);
    daemon = await startTestDaemon({ database });
  });
  test.after(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await daemon.stop();
    await database.drop();
  });

  async function open(session: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: daemon.clientUrl(session) });
    await client.connect();
    clients.push(client);
    return client;
  }
  const run = async (client: pg.Client, statements: readonly string[]) => {
    const results: unknown[] = [];
    for (const text of statements) results.push((await client.query(text)).rows);
    return results;
  };
  const generations = () =>
    database.query<{ kind: string; generation: string | null }>(
      ['overlay', 'tree', 'staged_view', 'staged_function']
        .map((kind) => `SELECT '${kind}' AS kind, generation FROM stage.${kind}`)
        .join(' UNION ALL '),
    );
  async function restart(): Promise<void> {
    const service = createDatabase({ url: database.url });
    try {
      await markOutdated(service);
    } finally {
      await service.close();
    }
  }
  const oids = () =>
    database.query(
      `SELECT p.oid FROM pg_proc p WHERE p.pronamespace = 'stage_data'::regnamespace ORDER BY 1`,
    );

  test('is another one for each major of the server', () => {
    assert.is(generationOn(17), generationOn(17));
    assert.is.not(generationOn(17), generationOn(18));
  });

  test('is that of every template of a table, and of every file beside the one that fills it', async () => {
    const counted = generatorFiles().map((path) => relative('.', path));
    const sources = { 'templates/sql/table': 'templates/sql/table', 'src/overlay': 'dist/overlay' };
    for (const [folder, read] of Object.entries(sources)) {
      const names = await readdir(folder, { recursive: true });
      const files = names.filter((name) => /\.(sql|ts)$/.test(name));
      assert.ok(files.length > 30, folder);
      for (const name of files)
        assert.ok(counted.includes(join(read, name.replace(/\.ts$/, '.js'))), name);
    }
  });

  test('what another release made is made anew at its next use', async () => {
    const session = await daemon.newSession({ reads: 'staged' });
    const client = await open(session);
    await run(client, writes(1));
    const before = await run(client, reads);
    const diff = (await daemon.call('GET', `/sessions/${session}/diff`)).body;
    await database.query(spoil);
    await restart();
    assert.equal(await run(client, reads), before);
    assert.equal((await daemon.call('GET', `/sessions/${session}/diff`)).body, diff);
    await run(client, writes(2));
    const other = await open(await daemon.newSession({ reads: 'staged' }));
    await run(other, [...writes(3).slice(0, 3), ...reads]);
    const major = await serverMajor();
    for (const { kind, generation } of await generations())
      assert.is(generation, generationOn(major), kind);
    assert.equal(
      await database.query(
        `SELECT proname FROM pg_proc WHERE prosrc LIKE '%of another release%' AND pronamespace::regnamespace::text ~ '^stage'`,
      ),
      [],
    );
    await daemon.call('POST', `/sessions/${session}/propose`);
    const { status, body } = await daemon.call('POST', `/sessions/${session}/approve`);
    assert.is(status, 200, JSON.stringify(body));
  });

  test('a review finds it made anew, too', async () => {
    const session = await daemon.newSession();
    const client = await open(session);
    await run(client, [
      `UPDATE parent SET v = 'reviewed' WHERE id = 4`,
      `UPDATE bag SET v = 5 WHERE v = 2`,
    ]);
    const paths = ['diff', 'diff/outline', 'diff/changes?table=parent', 'conflicts'];
    const look = async () =>
      Promise.all(
        paths.map(async (path) => {
          const { status, body } = await daemon.call('GET', `/sessions/${session}/${path}`);
          assert.is(status, 200, `${path}: ${JSON.stringify(body)}`);
          return body;
        }),
      );
    const before = await look();
    await database.query(spoil);
    await restart();
    assert.equal(await look(), before);
    await database.query(spoil);
    await restart();
    await daemon.call('POST', `/sessions/${session}/propose`);
    const { status, body } = await daemon.call('POST', `/sessions/${session}/approve`);
    assert.is(status, 200, JSON.stringify(body));
  });

  test('a transaction that has used it goes on with it', async () => {
    const client = await open(await daemon.newSession({ reads: 'staged' }));
    await run(client, [
      'BEGIN',
      'SELECT * FROM parent',
      `UPDATE parent SET v = 'one' WHERE id = 8`,
    ]);
    await database.query(`UPDATE stage.overlay SET generation = 'another'`);
    await restart();
    await run(client, [`UPDATE parent SET v = v || 'two' WHERE id = 8`, 'COMMIT']);
    const outdated = () =>
      database.query(
        `SELECT FROM stage.overlay WHERE table_name = 'parent' AND starts_with(stamp, 'outdated')`,
      );
    assert.is((await outdated()).length, 1);
    assert.equal(await run(client, ['SELECT v FROM parent WHERE id = 8']), [[{ v: 'onetwo' }]]);
    await run(client, [`UPDATE parent SET v = 'three' WHERE id = 8`]);
    assert.is((await outdated()).length, 0);
  });

  test('a transaction beside another connection of its session is run again', async () => {
    const session = await daemon.newSession({ reads: 'staged' });
    const [one, two] = [await open(session), await open(session)];
    await run(two, [`UPDATE parent SET v = 'two' WHERE id = 7`]);
    await run(one, [`UPDATE parent SET v = 'one' WHERE id = 8`]);
    await database.query('GRANT SELECT ON parent TO PUBLIC');
    await run(one, ['BEGIN', `UPDATE parent SET v = v || '!' WHERE id = 8`, 'COMMIT']);
    assert.equal(await run(two, ['SELECT v FROM parent WHERE id = 8']), [[{ v: 'one!' }]]);
  });

  test('what is of this generation is left as it is', async () => {
    const client = await open(await daemon.newSession({ reads: 'staged' }));
    await run(client, [...writes(1).slice(0, 1), ...reads]);
    const before = await oids();
    await restart();
    await run(client, [...writes(1).slice(0, 1), ...reads]);
    assert.equal(await oids(), before);
  });
});
