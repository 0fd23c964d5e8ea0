/** Rows that were staged when origins were letters: they are migrated, and the session continues unchanged. */
import pg from 'pg';
import { loadSql } from '../../src/db/sql-file.ts';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { auditIndexes, logChecks } from '../helpers/earlier-schema.ts';
import { brokenInvariants } from '../helpers/invariants.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE parent (id int PRIMARY KEY, v text);
CREATE TABLE child (id int PRIMARY KEY, parent int REFERENCES parent ON DELETE CASCADE ON UPDATE CASCADE, v text);
CREATE TABLE bag (v int, w text);
CREATE TABLE base (v int);
CREATE TABLE derived (w int) INHERITS (base);
CREATE VIEW seen AS SELECT v FROM bag WHERE v < 9;
INSERT INTO parent SELECT g, 'p' FROM generate_series(1, 9) g; INSERT INTO child SELECT g, g, 'c' FROM generate_series(1, 9) g;
INSERT INTO bag VALUES (1, 'a'), (1, 'a'), (2, 'b'), (3, 'c'), (5, 'e'), (5, 'e'), (5, 'e'), (5, 'e'); INSERT INTO base VALUES (1), (1); INSERT INTO derived VALUES (1, 1);`;

const before = [
  'UPDATE parent SET id = 100 WHERE id = 1',
  'UPDATE parent SET id = 200 WHERE id = 2',
  'DELETE FROM parent WHERE id IN (3, 200)',
  `INSERT INTO parent VALUES (1, 'again'), (3, 'again')`,
  `INSERT INTO child VALUES (11, 3, 'new')`,
  `UPDATE bag SET v = v + 10 WHERE v = 1`,
  `SELECT setseed(0.3); UPDATE bag SET w = (random() < 0.5)::text WHERE v = 5`,
  `UPDATE base SET v = v + 1`,
];
const after = [
  'UPDATE parent SET id = 101 WHERE id = 100',
  `UPDATE bag SET w = 'd' WHERE v = 11`,
  'DELETE FROM bag WHERE v = 3',
  `INSERT INTO base VALUES (7)`,
];
const reads = ['parent', 'child', 'bag', 'base', 'derived', 'seen'].map(
  (name) => `SELECT coalesce(json_agg(t::text ORDER BY t::text), '[]') AS rows FROM ${name} t`,
);

/** Restores the state of the earlier release: letters, and the objects that read them. */
const putBack = `
DO $$
DECLARE
  v record;
BEGIN
  FOR v IN SELECT i.inhparent::regclass AS load, i.inhrelid::regclass AS shadow, pg_partition_root(i.inhrelid) AS sets FROM pg_inherits i WHERE i.inhparent::regclass::text ~ '^stage.rows_' LOOP
    EXECUTE format('ALTER TABLE %s DETACH PARTITION %s', v.load, v.shadow);
    EXECUTE format('DROP TABLE %s CASCADE', v.sets);
  END LOOP;
  FOR v IN SELECT c.oid::regclass AS name FROM pg_class c WHERE c.relnamespace = 'stage_data'::regnamespace AND c.relname ~ '^shadow_' AND c.relkind = 'r' LOOP
    EXECUTE format('ALTER TABLE %s ADD letter "char"', v.name);
    EXECUTE format('UPDATE %s SET letter = CASE _stage_origin WHEN ''client'' THEN ''c'' WHEN ''action'' THEN ''f'' ELSE ''k'' END', v.name);
    EXECUTE format('ALTER TABLE %s DROP COLUMN _stage_origin CASCADE', v.name);
    EXECUTE format('ALTER TABLE %s RENAME letter TO _stage_origin', v.name);
    EXECUTE format('ALTER TABLE %s ALTER COLUMN _stage_origin SET NOT NULL', v.name);
  END LOOP;
  FOR v IN SELECT a.attrelid::regclass AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE a.attname = '_stage_image' AND c.relname ~ '^shadow_' AND c.relkind = 'r' LOOP
    EXECUTE format('CREATE UNIQUE INDEX ON %s (_stage_session, _stage_image) WHERE _stage_head AND _stage_op = ''D'' AND _stage_origin = ''k''', v.name);
    EXECUTE format('CREATE VIEW stage_data.%I AS SELECT FROM %s h WHERE _stage_op = ''D'' AND _stage_origin = ''k''', 'of_' || v.name, v.name);
  END LOOP;
END $$;
ALTER TYPE stage.apply_run ALTER ATTRIBUTE origin TYPE "char";
DROP TYPE stage.row_origin CASCADE;
${auditIndexes}
${logChecks}
DELETE FROM stage.migration WHERE number >= 22;
UPDATE stage.function SET hash = '';
UPDATE stage.overlay SET generation = 'before'; UPDATE stage.tree SET generation = 'before'; UPDATE stage.staged_view SET generation = 'before';`;

/** The digest as that release computed it, from letters. */
const digestOfLetters = loadSql('functions/steps_digest.sql')
  .replaceAll('stage.steps_digest', 'public.digest_of_letters')
  .replace(/CASE s\._stage_origin .*? END,/, 's._stage_origin,')
  .replaceAll(`''overlay''`, `''k''`);

const origins = (list: string) => `
SELECT s.name, s.origin, count(*)::int FROM (${list}) s GROUP BY 1, 2 ORDER BY 1, 2`;

suite('row origins', (test) => {
  let database: TestDatabase;
  test.before(async () => {
    database = await createTestDatabase({ template: 'migrated' });
    await database.query(schema);
  });
  test.after(() => database.drop());

  async function serving<T>(work: (daemon: TestDaemon) => Promise<T>): Promise<T> {
    const daemon = await startTestDaemon({ database });
    try {
      return await work(daemon);
    } finally {
      await daemon.stop();
    }
  }
  async function run(daemon: TestDaemon, session: string, statements: readonly string[]) {
    const client = new pg.Client({ connectionString: daemon.clientUrl(session) });
    await client.connect();
    try {
      const results: unknown[] = [];
      for (const text of statements) results.push((await client.query(text)).rows);
      return results;
    } finally {
      await client.end();
    }
  }
  const review = async (daemon: TestDaemon, session: string) => {
    const paths = ['diff', 'diff/outline', 'diff/changes?table=parent', 'conflicts'];
    const answers: unknown[] = [];
    for (const path of paths) {
      const { status, body } = await daemon.call('GET', `/sessions/${session}/${path}`);
      assert.is(status, 200, `${path}: ${JSON.stringify(body)}`);
      answers.push(body);
    }
    return answers;
  };
  async function originsOfRows() {
    const shadows = await database.query<{ name: string; shown: string }>(
      `SELECT 'stage_data.shadow_' || relation AS name, shown_name AS shown FROM stage.overlay ORDER BY shown_name`,
    );
    const list = shadows.map(
      ({ name, shown }) => `SELECT '${shown}' AS name, _stage_origin::text AS origin FROM ${name}`,
    );
    return database.query<{ name: string; origin: string; count: number }>(
      origins(list.join(' UNION ALL ')),
    );
  }
  const digestBy = async (name: string, session: string) => {
    const uuid = session.slice('sess_'.length);
    const [row] = await database.query<{ digest: string }>(`SELECT ${name}('${uuid}') AS digest`);
    return row?.digest;
  };

  test(
    'were letters in sessions that live on',
    async () => {
      const staged = await serving(async (daemon) => {
        const session = await daemon.newSession({ reads: 'staged' });
        await run(daemon, session, before);
        return {
          session,
          rows: await run(daemon, session, reads),
          review: await review(daemon, session),
          origins: await originsOfRows(),
          digest: await digestBy('stage.steps_digest', session),
        };
      });
      const { session } = staged;
      assert.equal([...new Set(staged.origins.map(({ origin }) => origin))].sort(), [
        'action',
        'client',
        'overlay',
      ]);
      await database.query(putBack);
      await database.query(digestOfLetters);
      assert.is(await digestBy('public.digest_of_letters', session), staged.digest);

      await serving(async (daemon) => {
        assert.equal(await originsOfRows(), staged.origins);
        assert.is(await digestBy('stage.steps_digest', session), staged.digest);
        assert.equal(await review(daemon, session), staged.review);
        assert.equal(await run(daemon, session, reads), staged.rows);
        await run(daemon, session, after);
        assert.equal(await brokenInvariants(database), []);
        const last = await run(daemon, session, reads);
        await daemon.call('POST', `/sessions/${session}/propose`);
        const { status, body } = await daemon.call('POST', `/sessions/${session}/approve`);
        assert.is(status, 200, JSON.stringify(body));
        const rows: unknown[] = [];
        for (const read of reads) rows.push(await database.query(read));
        assert.equal(rows, last);
      });
    },
    { timeout: 90_000 },
  );

  test('an index of tombstones comes over with what it forbids', async () => {
    const indexes = await database.query<{ definition: string }>(
      `SELECT pg_get_indexdef(indexrelid) AS definition FROM pg_index WHERE indisunique AND pg_get_indexdef(indexrelid) ~ '_stage_origin'`,
    );
    assert.is(indexes.length, 3);
    for (const { definition } of indexes)
      assert.match(definition, /_stage_origin = 'overlay'::stage\.row_origin/);
  });
});
