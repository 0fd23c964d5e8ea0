/** INSERT ... ON CONFLICT DO UPDATE with parameters in its clause, the form that drivers send most. */
import { assertAlike } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, d, e, p, q, run, runScript, s } from '../helpers/wire-script.ts';

const schema = `
CREATE TYPE mood AS ENUM ('sad', 'glad');
CREATE TABLE item (id int PRIMARY KEY, name text, n bigint DEFAULT 0, at timestamptz, took interval, f float8,
  raw bytea, m mood, tags text[], doc jsonb, code char(4), d numeric(12, 3));
CREATE TABLE pair (a int, b text, n int NOT NULL, UNIQUE (a, b), id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY);
CREATE TABLE fresh (id int PRIMARY KEY, n int);
CREATE SCHEMA other;
CREATE TABLE other.pair (a int, b text, n int NOT NULL, UNIQUE (a, b));
CREATE TABLE tag (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text, cnt int);
CREATE UNIQUE INDEX tag_name ON tag (name);
INSERT INTO other.pair VALUES (1, 'x', 7);
CREATE TABLE part (id int PRIMARY KEY, name text, kind text COLLATE "C", active boolean NOT NULL DEFAULT true, n int NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX part_name ON part (lower(name)) WHERE active;
CREATE UNIQUE INDEX part_n ON part (n, (n % 10)) WHERE n > 5;
CREATE UNIQUE INDEX part_kind ON part (kind text_pattern_ops);
CREATE VIEW parts AS SELECT id AS nr, name AS called, active AS "is on", n AS size FROM part;
INSERT INTO part VALUES (1, 'One', 'a', true, 7), (2, 'Two', 'b', false, 3);
CREATE TABLE slot (id int PRIMARY KEY, during int4range, CONSTRAINT slot_free EXCLUDE USING gist (during WITH &&));
INSERT INTO item (id, name, n) VALUES (1, 'one', 1), (2, 'two', 2);
INSERT INTO pair (a, b, n) VALUES (1, 'x', 1);
`;

const rename =
  'INSERT INTO item (id, name) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET name = $3, n = item.n + $4 RETURNING id, name, n';
const setting = (column: string) =>
  `INSERT INTO item (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET ${column} = $2 RETURNING ${column}::text`;
const four = (value: number) => Buffer.from([0, 0, 0, value]);
const eight = Buffer.alloc(8);
eight.writeDoubleBE(0.1 + 0.2);

/** Mistakes that PostgreSQL finds when it parses or plans the client's own text. */
const mistakes = [
  `INSERT INTO item (id) VALUES (1) ON CONFLICT (nowhere) DO NOTHING`,
  `INSERT INTO item (id) VALUES (1) ON CONFLICT (id, name) DO UPDATE SET item.name = 'x'`,
  `INSERT INTO item (id) VALUES (1) ON CONFLICT (name) DO UPDATE SET name = 'x'`,
  `INSERT INTO item (id) VALUES (1) ON CONFLICT ON CONSTRAINT nowhere DO NOTHING`,
  `INSERT INTO slot VALUES (1, '[1,2)') ON CONFLICT ON CONSTRAINT slot_free DO UPDATE SET id = 2`,
  `INSERT INTO tag (name) VALUES ('a') ON CONFLICT ON CONSTRAINT tag_name DO NOTHING`,
];

/** No index matches, on a table with partial indexes and indexes over expressions. */
const unmatched = [
  '(name)',
  '(lower(name))',
  '(upper(name)) WHERE active',
  '(n, (n % 10))',
  '(n, (n % 10)) WHERE n > 4',
  '(n) WHERE n > 5',
  '(kind COLLATE "POSIX")',
  '(kind bpchar_pattern_ops)',
  '(nowhere) WHERE active',
  '(lower(nowhere)) WHERE active',
].map(
  (arbiter) =>
    `INSERT INTO part (id, name, kind) VALUES (9, 'x', 'y') ON CONFLICT ${arbiter} DO UPDATE SET n = 1`,
);

/** Clauses that imply an index, in other words than its definition. */
const inferred: readonly string[] = [
  ...['(lower(name)) WHERE active AND id > 0', '(lower(name)) WHERE active = true'],
  ...['((n % 10), n) WHERE n > 8', '(n, (n % 10)) WHERE n IN (7, 8)', '(id) WHERE n > 100'],
  ...['(kind text_pattern_ops)', '(kind COLLATE "C" text_pattern_ops)', '(kind)'],
  ...['(lower((name)::text) COLLATE "default") WHERE (active)'],
].flatMap((arbiter, at) => [
  `INSERT INTO part AS p (id, name, kind, n) VALUES (${at + 10}, 'ONE', 'a', 7) ON CONFLICT ${arbiter} DO UPDATE SET n = p.n RETURNING *`,
  `INSERT INTO part (id, name, kind, n) VALUES (1, 'oNE', 'a', 7) ON CONFLICT ${arbiter} DO NOTHING`,
]);

/** Clauses that name columns by the target's alias, or by the target itself. */
const qualified: readonly string[] = [
  ...['part AS p', 'part AS "P q"', 'part', 'public.part AS part', 'public.part'].flatMap(
    (target) =>
      ['p.', '"P q".', 'part.', 'public.part.'].map(
        (own) =>
          `INSERT INTO ${target} (id, name) VALUES (50, 'one') ON CONFLICT (lower(${own}name)) WHERE ${own}active AND ${own}id > 0 DO NOTHING`,
      ),
  ),
  `INSERT INTO parts AS v VALUES (51, 'one', true, 1) ON CONFLICT (lower(v.called)) WHERE v."is on" DO UPDATE SET size = 60 RETURNING *`,
];

const scripts: Record<string, readonly Buffer[]> = {
  'what PostgreSQL refuses': [
    ...mistakes.flatMap((text) => [q(text), run(text), s, q('BEGIN'), q(text), q('ROLLBACK')]),
    ...mistakes.flatMap((text, index) => [
      q(`PREPARE m${index} AS ${text}`),
      q(`EXECUTE m${index}`),
    ]),
    q(`INSERT INTO slot VALUES (1, '[1,2)') ON CONFLICT ON CONSTRAINT slot_free DO NOTHING`),
    q(`INSERT INTO slot VALUES (2, '[1,2)') ON CONFLICT ON CONSTRAINT slot_free DO NOTHING`),
  ],
  'no index of those that are partial, or over expressions': [
    ...unmatched.flatMap((text) => [q(text), run(text), s]),
    ...['BEGIN', unmatched[0] as string, 'ROLLBACK', `PREPARE un AS ${unmatched[0]}`].map(q),
    q('EXECUTE un'),
  ],
  'an index that follows from other words': [
    ...inferred.flatMap((text) => [q(text), run(text), s]),
    ...['BEGIN', inferred[0] as string, 'SELECT * FROM part', 'COMMIT'].map(q),
    ...[`PREPARE inf AS ${inferred[0]}`, 'EXECUTE inf', 'EXECUTE inf'].map(q),
    q(
      `INSERT INTO parts VALUES (30, 'one', true, 1) ON CONFLICT (lower(called)) WHERE "is on" AND nr > 0 DO UPDATE SET size = 50 RETURNING *`,
    ),
    q(`INSERT INTO parts VALUES (31, 'one') ON CONFLICT (called) WHERE "is on" DO NOTHING`),
  ],
  'columns of a clause called by an alias': [
    ...qualified.flatMap((text) => [q(text), run(text), s]),
  ],
  'the first of its table, under a snapshot from before': [
    ...['BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT 1'].map(q),
    q('INSERT INTO fresh VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET n = fresh.n + 1 RETURNING n'),
    q('INSERT INTO fresh VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET n = fresh.n + 1 RETURNING n'),
    q('COMMIT'),
    q('INSERT INTO fresh VALUES (1, 1) ON CONFLICT (n) DO NOTHING'),
  ],
  'columns called by schema and table, as Prisma does': [
    run(
      `INSERT INTO "public"."tag" ("name", "cnt") VALUES ($1, $2) ON CONFLICT ("name") DO UPDATE SET "cnt" = $3
       WHERE ("public"."tag"."name" = $4 AND 1 = 1) RETURNING "public"."tag"."id", "public"."tag"."name"`,
      ...['a', '1', '2', 'a'],
    ),
    s,
    q(
      `INSERT INTO public.tag (name, cnt) VALUES ('a', 5) ON CONFLICT (name) DO UPDATE SET cnt = public.tag.cnt + excluded.cnt RETURNING public.tag.*`,
    ),
    q(
      `INSERT INTO public.tag (name, cnt) SELECT public.tag.name, public.tag.cnt + 1 FROM public.tag ON CONFLICT (name)
       DO UPDATE SET cnt = (SELECT max(public.tag.cnt) + 1 FROM public.tag) RETURNING (SELECT count(*) FROM public.tag WHERE public.tag.name = 'a')`,
    ),
    q(
      `INSERT INTO public.tag (name) VALUES ('a'), ('b') ON CONFLICT DO NOTHING RETURNING public.tag.id, public.tag.name`,
    ),
    q(
      `WITH up AS (INSERT INTO other.pair VALUES (1, 'x', 1) ON CONFLICT (a, b) DO UPDATE SET n = other.pair.n + 1 WHERE other.pair.n > 0 RETURNING other.pair.n)
       SELECT up.n, public.pair.n FROM up, public.pair WHERE public.pair.a = 1`,
    ),
  ],
  'unnamed, in batches of one': [
    ...[run(rename, '1', 'a', "it's $1", '10'), s, run(rename, '3', 'new', 'not used', '5'), s],
    ...[run(rename, '3', 'x', null, null), s, run(rename, null, 'x', 'y', '1'), s],
  ],
  'pipelined, and executed again with other values': [
    ...[p(rename, 'up'), d('statement', 'up'), s, b(['1', 'a', 'b', '1'], 'up'), d(), e(), s],
    ...[b(['1', 'a', 'c', '1'], 'up'), e(), b(['2', 'a', 'd', '1'], 'up'), e(), s],
    ...[run(rename, '1', 'x', 'p1', '1'), run('SELECT 1'), run(rename, '2', 'x', 'p2', '2'), s],
    ...[q('BEGIN'), b(['1', 'a', 'e', '7'], 'up'), e(), s, run(rename, '9', 'x', 'y', '1'), s],
    ...[q('ROLLBACK'), b(['1', 'a', 'f', '1'], 'up'), e(), s],
  ],
  'parameters in VALUES, SET, WHERE and sub-selects': [
    run(
      `INSERT INTO pair AS p (a, b, n) VALUES ($1, $2, $3), ($1, $4, $3) ON CONFLICT (a, b)
       DO UPDATE SET n = (SELECT max(i.n) + $3 + $5 FROM item i WHERE i.id = ANY ($6)), a = EXCLUDED.a + $1
       WHERE p.n < $7 OR EXCLUDED.b = $4 RETURNING a, b, n`,
      ...['1', 'x', '5', 'y', '100', '{1,2}', '50'],
    ),
    s,
    run(
      'INSERT INTO pair (a, b, n) VALUES (7, $1, 1) ON CONFLICT (a, b) DO UPDATE SET (n, b) = ($2, $1 || $3) RETURNING *',
      ...['q', '4', 'z'],
    ),
    s,
    run(
      `WITH up AS (INSERT INTO pair (a, b, n) VALUES (7, 'q', 1) ON CONFLICT ON CONSTRAINT pair_a_b_key
       DO UPDATE SET n = $1 RETURNING n) SELECT n, $2::text FROM up`,
      ...['42', 'beside'],
    ),
    s,
  ],
  'every type, as text and binary': [
    ...[p(setting('f')), b([four(1), eight]), d(), e(), s],
    ...[p(setting('raw')), b([four(1), Buffer.from([0, 255, 39, 92])]), d(), e(), s],
    ...[p(setting('n')), b([four(1), Buffer.from([127, 255, 255, 255, 255, 255, 0, 0])]), e(), s],
    ...[
      ['at', '2024-02-29 23:59:59.123456+05:30'],
      ['at', 'infinity'],
      ['took', '-1 years -2 mons +3 days -04:05:06.789'],
      ['f', 'NaN'],
      ['f', '1e-300'],
      ['raw', '\\x00ff27'],
      ['m', 'glad'],
      ['tags', `{"a,b",NULL,"c\\"d",""}`],
      ['doc', `{"a": [1, "x'y"]}`],
      ['code', 'ab'],
      ['d', '123456789.123'],
    ].flatMap(([column, value]) => [run(setting(column as string), '1', value as string), s]),
  ],
  'under settings that print values otherwise': [
    ...[
      q(`SET datestyle = 'German'; SET intervalstyle = 'sql_standard'; SET extra_float_digits = 0`),
    ],
    ...[
      run(setting('f'), '1', '0.30000000000000004'),
      s,
      q('SELECT f - 0.3 FROM item WHERE id = 1'),
    ],
    ...[run(setting('took'), '1', 'P-1Y2M-3DT4H'), s, run(setting('at'), '1', '1.2.2003 4:05'), s],
    q('SELECT extract(epoch FROM took), extract(epoch FROM at) FROM item WHERE id = 1'),
  ],
  'types given with Parse': [
    ...[p(rename, 'typed', [23, 25, 1043, 21]), d('statement', 'typed'), s],
    ...[b(['1', 'a', 'b', '1'], 'typed'), e(), s, b(['1', 'a', 'b', '70000'], 'typed'), e(), s],
    ...[p(rename, '', [25]), s, p(rename, '', [0, 0, 25]), d('statement'), s],
  ],
  mistakes: [
    ...['SET nowhere = $3', 'SET name = $2, n = $3 || 1', 'SET n = $1 WHERE nowhere = $3']
      .map((set) => `INSERT INTO item (id, name) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE ${set}`)
      .flatMap((text) => [run(text, '1', 'é', '2'), s]),
    ...[run(rename, '1', 'a', 'b', 'no number'), s, run(rename, '1', 'a', 'b'), s],
    ...[run(rename, '1', 'a', 'b', '1', 'more'), s, run(rename, 'no', 'a', 'b', '1'), s],
    run('INSERT INTO item (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET name = $1, n = $3', 'a'),
    s,
    q('INSERT INTO item (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET name = $1'),
    ...[q('BEGIN'), run(rename, '1', 'a', 'b', '1'), s],
    run('INSERT INTO item (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET nowhere = $2', '1', '2'),
    ...[s, q('SELECT 1'), q('ROLLBACK')],
    run(
      'INSERT INTO item (id) VALUES ($1), ($1) ON CONFLICT (id) DO UPDATE SET name = $2',
      ...['1', 'twice'],
    ),
    ...[s, run('INSERT INTO nowhere VALUES (1) ON CONFLICT (id) DO UPDATE SET a = $1', 'x'), s],
  ],
  'SQL PREPARE': [
    ...[
      `PREPARE up AS ${rename}`,
      `EXECUTE up (1, 'a', 'it''s', 3)`,
      `EXECUTE up (50, 'n', 'm', 1)`,
    ],
    ...[`EXECUTE up (50, 'n', upper('m') || 1, 2 + 3)`, `EXECUTE up (1, 'a', NULL, NULL)`],
    ...[`EXECUTE up (1, 'a')`, `EXECUTE up (1, 'a', 'b', 1, 2)`, `EXECUTE up (1, 'a', 'b', 'c')`],
    ...[
      'BEGIN',
      `EXECUTE up (2, 'a', 't', 1)`,
      'SELECT 1',
      `EXECUTE up (2, 'a', 't', 1)`,
      'ROLLBACK',
    ],
    ...[
      `PREPARE "Tö as" (int, text, varchar(2)) AS ${rename}`,
      `EXECUTE "Tö as" (1, 'a', 'long', 1)`,
    ],
    ...[`PREPARE up AS ${rename}`, `PREPARE bad AS ${rename.replace('item.n', 'item.nowhere')}`],
    ...[
      `SELECT 1; PREPARE bad (text) AS ${rename}`,
      'DEALLOCATE up',
      `EXECUTE up (1, 'a', 'b', 1)`,
    ],
    ...[`SELECT 'ä'; PREPARE bad AS ${rename.replace('name = $3', 'nämé = $3')}`],
  ].map(q),
  'SQL PREPARE by a Parse message': [
    ...[run(`PREPARE up2 AS ${rename}`), s, run(`EXECUTE up2 (1, 'a', 'b', 3)`), s],
    ...[b(['1', 'a', 'again', '4'], 'up2'), d(), e(), s, run('DEALLOCATE up2'), s],
  ],
};

suite('upserts with parameters', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  test('of a role that may only read no index is inferred from other words', async () => {
    const role = await createRole(proxied.database, 'GRANT SELECT ON part TO $role');
    const session = await proxied.daemon.newSession({ reads: 'staged' });
    const url = proxied.daemon.clientUrl(session, role.name, role.name);
    const answers = await runScript(
      url,
      ['(name)', '(lower(name)) WHERE active AND id > 0', '(lower(name)) WHERE active'].map(
        (arbiter) => q(`INSERT INTO part VALUES (40, 'One') ON CONFLICT ${arbiter} DO NOTHING`),
      ),
    );
    const reported = answers.flatMap((each) => /^E .*C=(\w+)|^C (.*)/.exec(each)?.slice(1) ?? []);
    assert.equal(reported.filter(Boolean).slice(0, 3), ['42P10', '0A000', 'INSERT 0 0.']);
    await role.drop();
  });

  for (const [name, messages] of Object.entries(scripts)) {
    test(name, () => assertAlike(proxied, messages).then(() => undefined));
  }
});
