/** An author may create objects that match better than PostgreSQL's own, in a schema on the service's search path: none of them runs. */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import type { TestRole } from '../helpers/roles.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE plain (id int PRIMARY KEY, v text, n int);
CREATE TABLE several (a int, b text, v jsonb, w json, PRIMARY KEY (a, b));
CREATE TABLE p (id int PRIMARY KEY, fav int);
CREATE TABLE c (id int PRIMARY KEY, pid int REFERENCES p ON DELETE CASCADE ON UPDATE CASCADE);
ALTER TABLE p ADD FOREIGN KEY (fav) REFERENCES c ON DELETE RESTRICT;
CREATE TABLE tree (id int PRIMARY KEY, up int REFERENCES tree ON DELETE CASCADE);
CREATE TABLE bag (v int, w text);
CREATE TABLE part (id int, day date, v text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE part_one PARTITION OF part FOR VALUES FROM ('2026-01-01') TO ('2026-07-01');
CREATE TABLE part_two PARTITION OF part FOR VALUES FROM ('2026-07-01') TO ('2027-01-01');
CREATE TABLE base (id int PRIMARY KEY, v text);
CREATE TABLE derived (PRIMARY KEY (id)) INHERITS (base);
CREATE TABLE swap (id int PRIMARY KEY, n int UNIQUE);
CREATE TABLE emptied (id int PRIMARY KEY);
CREATE TABLE strict (id int PRIMARY KEY, n int CONSTRAINT small CHECK (n < 100));
INSERT INTO plain SELECT g, 'v', g FROM generate_series(1, 20) g;
INSERT INTO several SELECT g, 'b', '{"a": 1}', '{"b":  1}' FROM generate_series(1, 6) g;
INSERT INTO p SELECT g, NULL FROM generate_series(1, 20) g; INSERT INTO c SELECT g, g FROM generate_series(1, 20) g; UPDATE p SET fav = id;
INSERT INTO tree SELECT g, NULL FROM generate_series(1, 4) g; INSERT INTO tree SELECT g + 10, g FROM generate_series(1, 4) g;
INSERT INTO bag SELECT g / 3, 'w' FROM generate_series(1, 20) g;
INSERT INTO part SELECT g, '2026-02-01', 'v' FROM generate_series(1, 6) g;
INSERT INTO base VALUES (1, 'v'), (2, 'v'); INSERT INTO derived VALUES (11, 'v'), (12, 'v');
INSERT INTO swap SELECT g, g FROM generate_series(1, 20) g; INSERT INTO emptied VALUES (1), (2); INSERT INTO strict VALUES (1, 1);
`;

/** Statements of a session; $n is 1 in the first round, 2 in the second. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  insert: [
    `INSERT INTO plain VALUES (10$n, 'new', 1), (11$n, 'new', 2)`,
    `INSERT INTO several VALUES (10$n, 'x', '{}', '{}')`,
  ],
  update: [
    `UPDATE plain SET v = 'changed' WHERE id = $n`,
    `UPDATE several SET v = '[]', w = '[1]' WHERE a = $n`,
    `UPDATE plain SET id = 200 + id WHERE id = 4 + $n`,
  ],
  delete: ['DELETE FROM plain WHERE id = 2 + $n', 'DELETE FROM several WHERE a = 2 + $n'],
  upsert: [
    `INSERT INTO plain VALUES (6 + $n, 'up', 1), (30$n, 'up', 1) ON CONFLICT (id) DO UPDATE SET v = excluded.v, n = plain.n + 1`,
    `INSERT INTO plain VALUES (9, 'no', 1) ON CONFLICT DO NOTHING`,
  ],
  merge: [
    `MERGE INTO plain USING (VALUES (12 + $n), (40$n)) s(id) ON plain.id = s.id WHEN MATCHED THEN UPDATE SET n = 0 WHEN NOT MATCHED THEN INSERT VALUES (s.id, 'merged', 1)`,
  ],
  'a cascade behind RESTRICT': ['DELETE FROM p WHERE id = $n'],
  'a cascade of updates': ['UPDATE p SET id = 500 + id WHERE id = 4 + $n'],
  'a cascade in one table': [
    'DELETE FROM tree WHERE id = $n',
    `WITH a AS (INSERT INTO tree VALUES (70$n, 60$n) RETURNING up) INSERT INTO tree SELECT up, NULL FROM a`,
  ],
  'no key': [
    `UPDATE bag SET w = 'x' WHERE v = $n`,
    'DELETE FROM bag WHERE v = 2 + $n',
    `INSERT INTO bag VALUES (9$n, 'new')`,
  ],
  partitions: [
    `INSERT INTO part VALUES (10$n, '2026-08-01', 'new')`,
    `UPDATE part SET day = '2026-09-01' WHERE id = $n`,
    'DELETE FROM part WHERE id = 2 + $n',
  ],
  inheritance: [`UPDATE base SET v = 'x' WHERE id IN ($n, 10 + $n)`],
  'rows in another order': ['UPDATE swap SET n = n + 100', 'UPDATE swap SET n = n - 99'],
  truncate: ['TRUNCATE emptied', 'INSERT INTO emptied VALUES (10$n)'],
  copy: [
    `INSERT INTO plain SELECT g, 'many', 1 FROM generate_series(1000 * $n, 1000 * $n + 300) g`,
  ],
};

const hostile = readFileSync('test/fixtures/hostile-names.sql', 'utf8');

suite('hostile names', (test) => {
  let database: TestDatabase;
  let daemon: TestDaemon;
  let author: TestRole;
  test.before(async () => {
    database = await createTestDatabase({ template: 'empty' });
    await database.query(schema);
    daemon = await startTestDaemon({ database });
    author = await createRole(
      database,
      `GRANT CREATE, USAGE ON SCHEMA public TO $role; GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA public TO $role`,
    );
    const own = await author.connect();
    await own.query(hostile.replaceAll('%service%', database.user));
  });
  test.after(async () => {
    await daemon.stop();
    await author.drop();
    await database.drop();
  });

  async function staged(statements: readonly string[], round: number): Promise<string> {
    const session = await daemon.newSession({ reads: 'staged' });
    const url = daemon.clientUrl(session, author.name, author.name);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      for (const text of statements) await client.query(text.replaceAll('$n', String(round)));
    } finally {
      await client.end();
    }
    return session;
  }

  async function approved(session: string) {
    const diff = await daemon.call('GET', `/sessions/${session}/diff`);
    assert.is(diff.status, 200, JSON.stringify(diff.body));
    await daemon.call('POST', `/sessions/${session}/propose`);
    const check = await daemon.call('GET', `/sessions/${session}/conflicts`);
    assert.is(check.status, 200, JSON.stringify(check.body));
    return daemon.call('POST', `/sessions/${session}/approve`, { json: {} });
  }

  test('the fixture catches who runs its operators and functions', async () => {
    for (const text of [
      'SELECT 1259::pg_catalog.oid = 1',
      `SELECT ARRAY['a'] || 'b'::pg_catalog.text`,
      `SELECT public.lower('A'::pg_catalog.text)`,
      `SELECT 'a'::public.text`,
    ])
      assert.match((await rejects(database.query(text))).message, /ran as the service account/);
  });

  for (const [kind, statements] of Object.entries(kinds))
    test(`none runs when a session is approved: ${kind}`, async () => {
      const session = await staged(statements, 1);
      const { status, body } = await approved(session);
      assert.is(status, 200, JSON.stringify(body));
    });

  test('nor when production refuses, or has changed', async () => {
    const refused = await staged(['INSERT INTO strict VALUES (2, 2)'], 1);
    const changed = await staged(['UPDATE strict SET n = 5 WHERE id = 1'], 1);
    await database.query(
      'ALTER TABLE strict DROP CONSTRAINT small; ALTER TABLE strict ADD CONSTRAINT small CHECK (n OPERATOR(pg_catalog.<) 2) NOT VALID',
    );
    assert.match(JSON.stringify((await approved(refused)).body), /violates check constraint/);
    await database.query('UPDATE strict SET n = 0');
    assert.match(JSON.stringify((await approved(changed)).body), /production data changed/);
  });

  test('nor when production has its own names first', async () => {
    const sessions: [string, string][] = [];
    for (const [kind, statements] of Object.entries(kinds))
      sessions.push([kind, await staged(statements, 2)]);
    await database.query(`ALTER DATABASE ${database.name} SET search_path = public, pg_catalog`);
    for (const [kind, session] of sessions) {
      const { status, body } = await approved(session);
      assert.is(status, 200, `${kind}: ${JSON.stringify(body)}`);
    }
    await database.query(`ALTER DATABASE ${database.name} RESET search_path`);
  });
});
