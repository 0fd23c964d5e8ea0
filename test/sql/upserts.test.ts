/** INSERT ... ON CONFLICT: the parts that are read of the clause, and the indexes that it means. */
import { inferArbiters } from '../../src/sql/locate/arbiters.ts';
import { loadParser } from '../../src/sql/parser/parser.ts';
import type { Upsert } from '../../src/sql/write.ts';
import { assert, suite } from '../helpers/suite.ts';
import { onlyStatement, queryIn, refusalOf, slice } from './verdict-summary.ts';

function upsertsOf(sql: string): { text: Buffer; upserts: readonly Upsert[] } {
  const { text, verdict } = onlyStatement(sql);
  const query = queryIn(verdict);
  if (query.kind !== 'write') throw new Error(`not a write: ${sql}`);
  return { text, upserts: query.upserts };
}

/** Returns the clause that is cut out, then SET and WHERE. */
function partsOf(sql: string): (string | null)[] {
  const { text, upserts } = upsertsOf(sql);
  return upserts.flatMap(({ clause, set, where }) => [
    slice(text, clause),
    set?.text.toString() ?? null,
    where?.text.toString() ?? null,
  ]);
}

const parts: Record<string, (string | null)[]> = {
  'INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING': ['ON CONFLICT DO NOTHING', null, null],
  'INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING RETURNING a': [
    'ON CONFLICT DO NOTHING',
    null,
    null,
  ],
  'insert into t select 1 on conflict (a) do update set b = excluded.b, c = default': [
    'on conflict (a) do update set b = excluded.b, c = default',
    'b = excluded.b, c = default',
    null,
  ],
  'INSERT INTO t VALUES (1) ON CONFLICT (a) WHERE b DO UPDATE SET (a, b) = (SELECT 1, c FROM u WHERE x) WHERE t.a IN (SELECT 2) RETURNING *':
    [
      'ON CONFLICT (a) WHERE b DO UPDATE SET (a, b) = (SELECT 1, c FROM u WHERE x) WHERE t.a IN (SELECT 2)',
      '(a, b) = (SELECT 1, c FROM u WHERE x)',
      't.a IN (SELECT 2)',
    ],
  "WITH x AS (INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE SET b = 'do; where returning' /* where */) SELECT 1":
    ["ON CONFLICT (a) DO UPDATE SET b = 'do; where returning'", "b = 'do; where returning'", null],
  'INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE SET "where" = excluded.where WHERE t.returning':
    [
      'ON CONFLICT (a) DO UPDATE SET "where" = excluded.where WHERE t.returning',
      '"where" = excluded.where',
      't.returning',
    ],
};

const index = (name: string, columns: readonly string[], predicate: string | null = null) => ({
  name,
  kind: 'unique' as const,
  timing: 'immediate' as const,
  elements: columns.map((definition) => ({
    column: definition.includes('(') ? null : definition,
    definition,
  })),
  predicate,
  isConstraint: predicate === null && !columns.some((definition) => definition.includes('(')),
});

const indexes = [
  index('t_pkey', ['id']),
  index('t_a_b', ['a', 'b']),
  index('t_lower', ['lower((email)::text)']),
  index('t_active', ['a'], 'active AND (n > 3)'),
  { ...index('t_later', ['c']), timing: 'deferrable' as const },
];

function arbitersOf(target: string): readonly string[] | null {
  const { upserts } = upsertsOf(`INSERT INTO t VALUES (1) ON CONFLICT ${target} DO NOTHING`);
  const [upsert] = upserts;
  if (upsert === undefined) throw new Error('no upsert');
  return inferArbiters(upsert.arbiter, indexes);
}

const arbiters: Record<string, readonly string[] | null> = {
  '': null,
  '(id)': ['t_pkey'],
  '(b, a)': ['t_a_b'],
  '(id int4_ops)': [],
  '(b COLLATE "C", a)': [],
  '(a)': [],
  '(lower(email))': ['t_lower'],
  '(upper(email))': [],
  '(a) WHERE active AND n > 3': ['t_active'],
  '(a) WHERE active': [],
  '(c)': ['t_later'],
  'ON CONSTRAINT t_a_b': ['t_a_b'],
  'ON CONSTRAINT t_active': [],
  'ON CONSTRAINT nope': [],
};

suite('upserts', (test) => {
  test.before(() => loadParser());

  for (const [sql, expected] of Object.entries(parts)) {
    test(sql, () => assert.equal(partsOf(sql), expected));
  }

  test('a clause behind another statement and in multi-byte text', () => {
    const sql =
      'INSERT INTO "ü" VALUES (1) ON CONFLICT (a) DO UPDATE SET "set" = CASE WHEN true THEN 1 END -- end';
    assert.equal(partsOf(sql).slice(1), ['"set" = CASE WHEN true THEN 1 END', null]);
  });

  for (const [target, expected] of Object.entries(arbiters)) {
    test(`arbiters of ON CONFLICT ${target}`, () => assert.equal(arbitersOf(target), expected));
  }

  test('DO UPDATE without a target is an error of syntax', () => {
    assert.is(
      refusalOf('INSERT INTO t VALUES (1) ON CONFLICT DO UPDATE SET a = 1').sqlstate,
      '42601',
    );
  });

  test('parameters are located in SET and WHERE', () => {
    const { text, upserts } = upsertsOf(
      "INSERT INTO t VALUES ($1) ON CONFLICT (a) DO UPDATE SET a = $2, b = '$3' WHERE t.b = $1 OR $$ $4 $$ = $12",
    );
    const found = [upserts[0]?.set, upserts[0]?.where].map((part) =>
      part?.parameters.map((parameter) => [slice(text, parameter), parameter.number]),
    );
    assert.equal(found, [
      [['$2', 2]],
      [
        ['$1', 1],
        ['$12', 12],
      ],
    ]);
  });

  test('what stands between ON CONFLICT and DO is there to be asked of the planner', () => {
    for (const target of ['(a) WHERE "do" AND $1', '(a COLLATE "C", (b || $2) text_pattern_ops)']) {
      const { upserts } = upsertsOf(`INSERT INTO t VALUES (1) ON CONFLICT ${target} DO NOTHING`);
      const arbiter = upserts[0]?.arbiter;
      if (arbiter?.kind !== 'index') throw new Error(`no index: ${target}`);
      assert.is(arbiter.words.text.toString(), target);
      assert.is(arbiter.words.parameters.length, 1);
    }
  });

  test('the old row of a DO UPDATE cannot be returned', () => {
    const upsert = 'INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE SET b = 1 RETURNING';
    for (const items of ['old.a', 'a, coalesce(old.b, 1)', 'WITH (OLD AS o) o.a']) {
      assert.match(refusalOf(`${upsert} ${items}`).message, /^RETURNING old/, items);
    }
    assert.is(upsertsOf(`${upsert} new.a, b`).upserts.length, 1);
  });

  test('DO UPDATE cannot read a WITH query', () => {
    const upsert = 'INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE SET b =';
    for (const set of ['(SELECT x FROM w)', '1 WHERE EXISTS (SELECT FROM w)'])
      assert.match(refusalOf(`WITH w AS (SELECT 1 AS x) ${upsert} ${set}`).message, /WITH query/);
    assert.is(upsertsOf(`WITH v AS (SELECT 1) ${upsert} (SELECT x FROM w)`).upserts.length, 1);
  });

  test('a table that is called excluded needs an alias for DO UPDATE', () => {
    const update = 'ON CONFLICT (a) DO UPDATE SET b = excluded.b';
    assert.match(refusalOf(`INSERT INTO excluded VALUES (1) ${update}`).message, /excluded/);
    assert.is(upsertsOf(`INSERT INTO excluded AS e VALUES (1) ${update}`).upserts.length, 1);
  });

  test('OVERRIDING is told with its target', () => {
    const { verdict } = onlyStatement('INSERT INTO t OVERRIDING USER VALUE VALUES (1)');
    const query = queryIn(verdict);
    assert.equal(query.kind === 'write' && query.overriding, [{ target: 12, value: 'user' }]);
  });
});
