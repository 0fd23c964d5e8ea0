/** MERGE has the same counts, rows, errors and effects as in PostgreSQL, on servers with and without MERGE into views. */
import { assertAlike } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, d, e, p, q, run, s } from '../helpers/wire-script.ts';

const schema = `
CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL DEFAULT 'new', n int CHECK (n < 1000), twice int GENERATED ALWAYS AS (n * 2) STORED,
  code text UNIQUE);
CREATE TABLE part (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, item int REFERENCES item ON DELETE CASCADE ON UPDATE CASCADE, q int);
CREATE TABLE "Größe" ("Id" int PRIMARY KEY, "select" text);
CREATE TABLE delta (id int PRIMARY KEY, n int, name text);
CREATE FUNCTION plus(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN $1 + 1; END';
CREATE TABLE sum (id int PRIMARY KEY, total int, name text);
CREATE TABLE portion (id int, share int, more int);
CREATE TABLE label (id int, name text);
INSERT INTO portion VALUES (1, 10, 100), (1, 20, 200), (2, 20, 300), (3, 10, 400);
INSERT INTO label SELECT g, 'label ' || g FROM generate_series(1, 3) g;
CREATE TABLE owner (id int PRIMARY KEY);
CREATE TABLE owned (id int PRIMARY KEY, owner int REFERENCES owner ON UPDATE CASCADE ON DELETE CASCADE);
INSERT INTO owner VALUES (1), (2), (3); INSERT INTO owned VALUES (10, 1), (20, 2), (30, 3);
INSERT INTO sum VALUES (2, 5, 'two'), (9, 9, 'nine');
INSERT INTO item (id, name, n, code) SELECT g, 'i' || g, g, 'c' || g FROM generate_series(1, 9) g;
INSERT INTO part (item, q) SELECT g, g FROM generate_series(1, 9) g;
INSERT INTO "Größe" VALUES (1, 'one'), (2, 'two');
INSERT INTO delta VALUES (1, 10, 'a'), (2, NULL, 'b'), (20, 20, 'c'), (21, NULL, 'd');
`;

const put = (id: number) =>
  `MERGE INTO item t USING (VALUES (${id})) v (id) ON t.id = v.id WHEN NOT MATCHED THEN INSERT (id) VALUES (v.id)`;
const upsert = `MERGE INTO item USING (VALUES ($1::int, $2::text)) v (id, name) ON item.id = v.id
  WHEN MATCHED THEN UPDATE SET name = v.name WHEN NOT MATCHED THEN INSERT (id, name) VALUES (v.id, v.name)`;
const rows = q(
  'SELECT * FROM item ORDER BY id; SELECT * FROM part ORDER BY id; SELECT * FROM "Größe" ORDER BY 1; SELECT * FROM sum ORDER BY 1',
);

const scripts: Record<string, readonly Buffer[]> = {
  'every action': [
    `MERGE INTO item AS t USING delta d ON t.id = d.id
     WHEN MATCHED AND d.n IS NULL THEN DELETE
     WHEN MATCHED THEN UPDATE SET n = t.n + d.n, name = DEFAULT
     WHEN NOT MATCHED AND d.n IS NULL THEN DO NOTHING
     WHEN NOT MATCHED THEN INSERT (id, n) VALUES (d.id, d.n)`,
    'MERGE INTO item USING item i ON i.id = item.id + 1 WHEN MATCHED AND item.id < 5 THEN UPDATE SET n = i.n * 10',
    `MERGE INTO ONLY public.item t USING (SELECT * FROM item WHERE id > 7) o ON (t.id = o.id) WHEN MATCHED THEN DELETE`,
    `WITH w AS (SELECT 3 AS id, 'with' AS name UNION ALL SELECT 30, 'too') MERGE INTO item t USING w ON w.id = t.id
     WHEN MATCHED THEN UPDATE SET (name, n) = (SELECT w.name, max(q) FROM part) WHEN NOT MATCHED THEN INSERT (id, name) VALUES (w.id, w.name)`,
    `MERGE INTO item t USING part p JOIN delta d ON p.q = d.id ON CASE WHEN t.id = p.item THEN true END -- why
     WHEN MATCHED THEN UPDATE SET name = d.name || t.name`,
    'MERGE INTO item USING delta ON false WHEN NOT MATCHED AND delta.id > 20 THEN INSERT DEFAULT VALUES',
    `MERGE INTO item USING delta ON false WHEN NOT MATCHED AND delta.id > 20 THEN INSERT (id, n) VALUES (100 + delta.id, DEFAULT)`,
    'MERGE INTO item t USING delta ON t.id = delta.id WHEN MATCHED THEN DO NOTHING',
    'MERGE INTO part USING (SELECT 1) s ON part.id = 1 WHEN MATCHED THEN UPDATE SET item = 2 WHEN NOT MATCHED THEN INSERT (item) VALUES (3)',
    `MERGE INTO part USING (VALUES (500)) v (x) ON part.id = x WHEN NOT MATCHED THEN INSERT (id, item) OVERRIDING SYSTEM VALUE VALUES (x, 3)`,
    `MERGE INTO part USING (VALUES (600)) v (x) ON part.id = x WHEN NOT MATCHED THEN INSERT (id, item) OVERRIDING USER VALUE VALUES (x, 3)`,
    `MERGE INTO "Größe" g USING (VALUES (2, 'zwei'), (3, 'drei')) AS v("Id", "select") ON g."Id" = v."Id"
     WHEN MATCHED THEN UPDATE SET "select" = v."select" || ' é' WHEN NOT MATCHED THEN INSERT VALUES (v."Id", v."select")`,
    'MERGE INTO "Größe" USING (VALUES (1)) v (x) ON "Größe"."Id" = x AND public."Größe"."Id" = x WHEN MATCHED THEN DELETE',
  ].map(q),
  'what PostgreSQL refuses': [
    'MERGE INTO item t USING (VALUES (1), (1)) v (id) ON t.id = v.id WHEN MATCHED THEN UPDATE SET n = 1',
    'MERGE INTO item t USING (VALUES (1), (1)) v (id) ON t.id = v.id WHEN MATCHED THEN UPDATE SET n = t.n',
    'MERGE INTO item t USING (VALUES (1, 1), (1, 2)) v (id, k) ON t.id = v.id WHEN MATCHED AND k = 1 THEN UPDATE SET n = 7 WHEN MATCHED THEN DELETE',
    'MERGE INTO item t USING (VALUES (1, 1), (1, 2)) v (id, k) ON t.id = v.id WHEN MATCHED AND k = 2 THEN UPDATE SET n = 7 WHEN MATCHED THEN DELETE',
    'MERGE INTO item t USING (VALUES (1), (1)) v (id) ON t.id = v.id WHEN MATCHED THEN DELETE',
    'MERGE INTO item t USING (VALUES (40), (40)) v (id) ON t.id = v.id WHEN NOT MATCHED THEN INSERT (id) VALUES (v.id)',
    'MERGE INTO item t USING delta d ON t.id = d.id WHEN MATCHED THEN UPDATE SET n = 5000',
    'MERGE INTO item t USING delta d ON t.id = d.id WHEN MATCHED THEN UPDATE SET name = NULL',
    `MERGE INTO item t USING delta d ON t.id = d.id WHEN MATCHED THEN UPDATE SET code = 'c3'`,
    'MERGE INTO item t USING delta d ON t.id = d.id WHEN MATCHED THEN UPDATE SET id = 3',
    'MERGE INTO item t USING delta d ON t.id = d.id WHEN MATCHED THEN UPDATE SET twice = 3',
    'MERGE INTO item t USING delta d ON t.id = d.id WHEN NOT MATCHED THEN INSERT (id, twice) VALUES (99, 1)',
    'MERGE INTO part USING (SELECT 1) s ON false WHEN NOT MATCHED THEN INSERT (item) VALUES (999)',
    'MERGE INTO part USING (SELECT 1) s ON false WHEN NOT MATCHED THEN INSERT (id) VALUES (999)',
    'MERGE INTO item t USING delta d ON t.id = d.id WHEN MATCHED THEN UPDATE SET nowhere = 1',
    'MERGE INTO item t USING delta d ON t.nowhere = d.id WHEN MATCHED THEN DELETE',
    `SELECT 'ä'; MERGE INTO item t USING delta d ON t.id = d.id WHEN MATCHED THEN UPDATE SET n = 'ö'`,
    'MERGE INTO item t USING nowhere d ON t.id = d.id WHEN MATCHED THEN DELETE',
    'MERGE INTO item USING item ON true WHEN MATCHED THEN DELETE',
    'MERGE INTO item t USING delta d ON t.id = d.id WHEN MATCHED THEN UPDATE SET n = 1 / (d.id - 1)',
    'MERGE INTO item t USING delta d ON t.id = d.id WHEN MATCHED THEN DELETE WHEN MATCHED THEN DELETE',
    'MERGE INTO item t USING delta d ON t.id = d.id WHEN MATCHED THEN UPDATE SET n = $1',
  ].map(q),
  'in the order of the rows': [
    `MERGE INTO item t USING (SELECT * FROM (VALUES (3, 1), (0, 2)) v (id, k) ORDER BY k) v ON t.id = v.id
     WHEN MATCHED THEN UPDATE SET id = 33, code = 'moved' WHEN NOT MATCHED THEN INSERT (id, code) VALUES (60, 'c3')`,
    'MERGE INTO item t USING (VALUES (4), (44)) v (id) ON t.id = v.id WHEN MATCHED THEN UPDATE SET id = t.id + 100 WHEN NOT MATCHED THEN INSERT (id) VALUES (v.id)',
    'MERGE INTO item t USING (SELECT random() AS r, id FROM delta) d ON t.id = d.id WHEN MATCHED AND r < 2 THEN UPDATE SET n = 77',
    'MERGE INTO item t USING (SELECT * FROM delta ORDER BY id LIMIT 1) d ON t.id = d.id WHEN MATCHED THEN UPDATE SET n = 78 WHEN NOT MATCHED THEN INSERT (id) VALUES (1)',
  ].map(q),
  parameters: [
    ...[
      run(upsert, '1', 'first'),
      s,
      run(upsert, '70', 'seventy'),
      s,
      run(upsert, '70', 'again'),
      s,
    ],
    ...[
      p(upsert, 'm'),
      d('statement', 'm'),
      s,
      b(['2', 'two'], 'm'),
      d(),
      e(),
      s,
      b(['71', 'x'], 'm'),
      e(),
      s,
    ],
    ...[run(upsert, '1', 'p1'), run('SELECT 1'), run(upsert, '1', 'p2'), s],
    ...[run(upsert, '1'), s, run(upsert, 'x', 'y'), s, run(upsert, '1', null), s],
    ...[
      q('BEGIN'),
      q('SELECT 1'),
      run(upsert, '1', 't'),
      s,
      q('SAVEPOINT a'),
      run(upsert, '72', 't'),
      s,
    ],
    ...[q('ROLLBACK TO a'), b(['2', 'again'], 'm'), e(), s, q('SELECT 2'), q('ROLLBACK')],
    ...[b([Buffer.from([0, 0, 0, 1]), Buffer.from('binary')], 'm'), e(), s],
  ],
  'SQL PREPARE': [
    ...[`PREPARE m AS ${upsert}`, `EXECUTE m (1, 'e1')`, `EXECUTE m (80, 'e2')`, `EXECUTE m (1)`],
    ...['BEGIN', `EXECUTE m (81, upper('e3'))`, 'SELECT 1', `EXECUTE m (80 + 1, 'e4')`, 'COMMIT'],
    ...[
      `PREPARE n AS MERGE INTO item USING delta d ON item.id = d.id WHEN MATCHED THEN DO NOTHING`,
      'EXECUTE n',
    ],
    ...[
      'PREPARE bad AS MERGE INTO item USING delta d ON item.id = d.nope WHEN MATCHED THEN DELETE',
    ],
    ...[`EXECUTE m (1, 'x', 'y')`, `EXECUTE m ('z', 'x')`, 'DEALLOCATE m', `EXECUTE m (1, 'x')`],
  ].map(q),
  'prepared in a READ ONLY transaction, and executed there and in others': [
    ...[
      q('BEGIN READ ONLY'),
      p(upsert, 'r'),
      d('statement', 'r'),
      s,
      b(['1', 'r'], 'r'),
      e(),
      s,
      q('ROLLBACK'),
    ],
    ...[b(['1', 'r1'], 'r'), e(), s, q('BEGIN'), b(['82', 'r2'], 'r'), e(), s, q('COMMIT')],
    ...[q('BEGIN READ ONLY'), q(`PREPARE ro (int, text) AS ${upsert}`), q('SAVEPOINT a')],
    ...[
      q(`EXECUTE ro (1, 'r')`),
      q('ROLLBACK TO a'),
      q(`PREPARE untyped AS ${upsert}`),
      q('COMMIT'),
    ],
    ...[q(`EXECUTE ro (1, 'r3')`), q(`EXECUTE ro (1)`), q(`EXECUTE untyped (83, 'r4')`)],
  ],
  'in transactions that follow on each other': [
    ...['BEGIN', put(86), 'COMMIT AND CHAIN', 'SET TRANSACTION ISOLATION LEVEL SERIALIZABLE'],
    ...['UPDATE item SET id = 87 WHERE id = 86', 'COMMIT AND CHAIN', 'SELECT count(*) FROM item'],
    ...['SAVEPOINT a', put(88), 'ROLLBACK TO a', put(89), 'ROLLBACK AND CHAIN', 'SAVEPOINT a'],
    ...[put(88), 'ROLLBACK TO a', 'DELETE FROM item WHERE id = 87', 'COMMIT'],
  ].map(q),
  'foreign keys': [
    'MERGE INTO item t USING (VALUES (5)) v (id) ON t.id = v.id WHEN MATCHED THEN DELETE',
    'MERGE INTO item t USING (VALUES (6)) v (id) ON t.id = v.id WHEN MATCHED THEN UPDATE SET id = 66',
    'MERGE INTO part USING (SELECT * FROM item WHERE id IN (1, 81)) i ON part.item = i.id WHEN NOT MATCHED THEN INSERT (item, q) VALUES (i.id, 1) WHEN MATCHED AND q > 7 THEN DELETE',
  ].map(q),
  // with some orders of joins, PostgreSQL 17 and 18 fail to plan a MERGE into a view
  'sources that are joins': [
    `MERGE INTO sum t USING portion p JOIN label l ON p.id = l.id AND share = 20 ON t.id = p.id
     WHEN NOT MATCHED THEN INSERT VALUES (l.id, more, l.name) WHEN MATCHED THEN DELETE`,
    `MERGE INTO sum t USING label l JOIN portion p ON p.id = l.id AND (more = 300 OR share = 10) ON t.id = p.id
     WHEN NOT MATCHED THEN INSERT VALUES (l.id, more + share, l.name) WHEN MATCHED THEN UPDATE SET name = t.name || ' again'`,
    `MERGE INTO sum t USING (SELECT *, 'joined'::text AS word FROM portion WHERE id > 1) p FULL JOIN label l ON p.share = l.id * 10 ON t.id = p.share
     WHEN NOT MATCHED AND p.share IS NOT NULL AND p.id = 3 THEN INSERT VALUES (p.share, p.more, p.word)`,
  ].map(q),
  'what came with PostgreSQL 17, and is an error before': [
    `MERGE INTO item t USING delta d ON t.id = d.id WHEN NOT MATCHED BY SOURCE AND t.id > 90 THEN DELETE
     WHEN NOT MATCHED BY SOURCE AND t.id = 7 THEN UPDATE SET name = 'gone' WHEN NOT MATCHED BY TARGET AND d.id = 20 THEN INSERT (id) VALUES (d.id)`,
    `MERGE INTO item t USING (VALUES (1), (90)) v (id) ON t.id = v.id WHEN MATCHED THEN UPDATE SET name = merge_action()
     WHEN NOT MATCHED THEN INSERT (id) VALUES (v.id) RETURNING merge_action(), t.*, v.id`,
    `MERGE INTO item t USING (VALUES (1), (90)) v (id) ON t.id = v.id WHEN MATCHED THEN UPDATE SET n = 3
     WHEN NOT MATCHED THEN INSERT (id) VALUES (v.id) RETURNING merge_action(), t.*, v.id`,
    `WITH m AS (MERGE INTO item t USING (VALUES (1), (91)) v (id) ON t.id = v.id WHEN MATCHED THEN DELETE
     WHEN NOT MATCHED THEN INSERT (id) VALUES (v.id) RETURNING merge_action() AS a, t.id) SELECT a, id FROM m ORDER BY id`,
  ].map(q),
  'beside statements that call functions of users': [
    'MERGE INTO item t USING delta d ON t.id = d.id WHEN MATCHED THEN UPDATE SET n = plus(t.n)',
    'UPDATE item SET n = plus(n) WHERE id = 1',
    'BEGIN; MERGE INTO item t USING delta d ON t.id = d.id WHEN MATCHED THEN DELETE; UPDATE item SET n = plus(n); COMMIT',
    'DELETE FROM item WHERE plus(id) = 4',
  ].map(q),
};

suite('MERGE', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  for (const [name, messages] of Object.entries(scripts)) {
    test(name, async () => {
      await assertAlike(proxied, [...messages, rows]);
    });
  }

  test('is told in the log as what it did', async () => {
    const session = await proxied.daemon.newSession();
    const client = await proxied.connect(proxied.daemon.clientUrl(session));
    const text = `MERGE INTO delta USING (VALUES (1, $1::int), (2, 0), (50, 50), (51, 51), (52, NULL)) v (id, n) ON delta.id = v.id
      WHEN MATCHED AND v.n = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET n = v.n
      WHEN NOT MATCHED AND v.n IS NULL THEN DO NOTHING WHEN NOT MATCHED THEN INSERT (id, n) VALUES (v.id, v.n)`;
    assert.is((await client.query(text, [7])).rowCount, 4);
    const { body } = await proxied.daemon.call('GET', `/sessions/${session}/mutations`);
    const { mutations } = body as { mutations: Record<string, unknown>[] };
    assert.equal(mutations.map(({ type, affected_rows: rows }) => `${type} ${rows}`).sort(), [
      'DELETE 1',
      'INSERT 2',
      'UPDATE 1',
    ]);
    for (const { query, params } of mutations) assert.equal([query, params], [text, [7]]);
  });

  test("has foreign keys' actions booked to the one of its own that caused them", async () => {
    const session = await proxied.daemon.newSession();
    const client = await proxied.connect(proxied.daemon.clientUrl(session));
    await client.query(
      `MERGE INTO owner t USING (VALUES (1, 11), (2, NULL), (3, 33), (4, 4)) v (id, id2) ON t.id = v.id
       WHEN MATCHED AND v.id2 IS NULL THEN DELETE WHEN MATCHED THEN UPDATE SET id = v.id2 WHEN NOT MATCHED THEN INSERT VALUES (v.id)`,
    );
    const [owned] = await proxied.database.query(`SELECT 'owned'::regclass::oid`);
    const booked = await proxied.database.query(
      `SELECT m.operation, m.affected_rows::int AS rows, s._stage_op AS of_child, s.id
       FROM stage.mutation m LEFT JOIN stage_data.shadow_${owned?.['oid']} s ON s._stage_mutation = m.id AND s._stage_origin = 'action'
       WHERE m.session = '${session.slice('sess_'.length)}' ORDER BY m.operation, s.id`,
    );
    assert.equal(booked, [
      { operation: 'DELETE', rows: 1, of_child: 'D', id: 20 },
      { operation: 'INSERT', rows: 1, of_child: null, id: null },
      { operation: 'UPDATE', rows: 2, of_child: 'U', id: 10 },
      { operation: 'UPDATE', rows: 2, of_child: 'U', id: 30 },
    ]);
  });

  test('of two connections on one row: no change is lost', async () => {
    const url = await proxied.session();
    const [one, other] = [await proxied.connect(url), await proxied.connect(url)];
    const add = `MERGE INTO delta USING (VALUES (1)) v (id) ON delta.id = v.id WHEN MATCHED THEN UPDATE SET n = delta.n + 1`;
    await one.query('UPDATE delta SET n = 0 WHERE id = 1');
    await one.query('BEGIN');
    await one.query(add);
    const waiting = other.query(add);
    await one.query('COMMIT');
    await waiting;
    const { rows } = await other.query('UPDATE delta SET n = n WHERE id = 1 RETURNING n');
    assert.equal(rows, [{ n: 2 }]);
  });
});
