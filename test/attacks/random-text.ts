/** Random SQL that looks like a read: writes and calls hidden by quoting, comments, nesting and spelling. */
import type { Random } from '../helpers/random.ts';

/** The source of randomness, and the parts that the text may contain. */
export interface Disguise {
  readonly random: Random;
  /** Whether it may contain calls of functions that write. */
  readonly calls: boolean;
}

export interface RandomText {
  readonly text: string;
  /** The number of statements it is made of. */
  readonly statements: number;
}

/** Returns one query string of one to three statements. The tables are item (id, name), victim (id) and one (x). */
export function randomText(disguise: Disguise): RandomText {
  const { random } = disguise;
  const statements = Array.from({ length: 1 + random.below(3) }, () => statement(disguise));
  const text = statements.join(`${space(random)};${space(random)}`);
  const end = random.pick(['', ';', ' -- ;', '/* ; */']);
  return { text: `${space(random)}${text}${end}`, statements: statements.length };
}

function statement(disguise: Disguise): string {
  const { random } = disguise;
  const text = query(disguise, 3);
  if (random.chance(0.7)) return text;
  return random.pick([
    `EXPLAIN ${text}`,
    `EXPLAIN (ANALYZE, TIMING off) ${text}`,
    `EXPLAIN ANALYZE ${text}`,
    `COPY (${text}) TO STDOUT`,
    `(${text})`,
    `SELECT 1 INTO made${random.below(9)} FROM (${text}) AS q`,
    `CREATE TEMP TABLE made AS ${text}`,
    `DECLARE c${random.below(9)} CURSOR WITH HOLD FOR ${text}`,
    `COMMIT`,
    `BEGIN READ WRITE`,
  ]);
}

/** Returns a query with one column of text, which is valid wherever a query is. */
function query(disguise: Disguise, depth: number): string {
  const { random } = disguise;
  const sp = space(random);
  const value = () => expression(disguise, depth);
  const part = () => {
    const text = query(disguise, depth - 1);
    return random.chance(0.9) ? `(${text})` : text;
  };
  const body = random.pick([
    () => `SELECT${sp}${value()}`,
    () =>
      `SELECT${sp}${value()} FROM ${source(disguise, depth)} WHERE ${condition(disguise, depth)}`,
    () =>
      `SELECT count(*)::text FROM ${source(disguise, depth)} GROUP BY ${value()} HAVING ${condition(disguise, depth)}`,
    () => `SELECT name FROM item ORDER BY ${value()} LIMIT 1${sp}OFFSET 0`,
    () => `VALUES${sp}(${value()})`,
    () => `TABLE${sp}one`,
    () => (depth > 0 ? `${part()} UNION ALL ${part()}` : `SELECT${sp}'1'`),
  ])();
  if (depth === 0 || random.chance(0.6)) return body;
  const hidden = random.chance(0.3) ? write(disguise, depth) : query(disguise, depth - 1);
  const kind = random.pick(['', 'MATERIALIZED', 'NOT MATERIALIZED']);
  return `WITH${sp}${random.pick(['', 'RECURSIVE '])}w${sp}AS ${kind}${sp}(${hidden})${sp}${body}`;
}

function write(disguise: Disguise, depth: number): string {
  const { random } = disguise;
  const value = expression(disguise, Math.max(depth - 1, 0));
  return random.pick([
    'DELETE FROM victim RETURNING id',
    'INSERT INTO victim VALUES (7) RETURNING id',
    'UPDATE victim SET id = id + 1 RETURNING id',
    'INSERT INTO victim VALUES (7) ON CONFLICT DO NOTHING RETURNING id',
    `INSERT INTO victim SELECT 8 WHERE ${condition(disguise, 0)} RETURNING id`,
    `UPDATE victim SET id = 1 WHERE ${value} IS NOT NULL RETURNING id`,
    'MERGE INTO victim v USING item i ON v.id = i.id WHEN NOT MATCHED THEN INSERT VALUES (9) RETURNING v.id',
    'WITH x AS (DELETE FROM victim RETURNING id) SELECT id FROM x',
  ]);
}

function source(disguise: Disguise, depth: number): string {
  const { random } = disguise;
  if (depth === 0)
    return random.pick(['item', '"item"', 'U&"\\0069tem"', 'public.item', 'ONLY item']);
  return random.pick([
    () => source(disguise, 0),
    () => `(${query(disguise, depth - 1)}) AS s${random.below(99)}`,
    () => `item AS i${random.below(99)} JOIN LATERAL (${query(disguise, depth - 1)}) AS l ON true`,
    () => `generate_series(1, 2) AS g${random.below(99)}`,
    () => `ROWS FROM (generate_series(1, length(${expression(disguise, 0)}))) AS r`,
  ])();
}

function condition(disguise: Disguise, depth: number): string {
  const { random } = disguise;
  const value = () => expression(disguise, Math.max(depth - 1, 0));
  return random.pick([
    () => 'true',
    () => `${value()} IS NOT NULL`,
    () => `EXISTS (${query(disguise, Math.max(depth - 1, 0))})`,
    () => `${value()} IN (${query(disguise, Math.max(depth - 1, 0))})`,
    () => `1 = ANY (ARRAY(SELECT 1)) AND ${value()} IS DISTINCT FROM NULL`,
    () => `NOT (${value()} IS NULL) OR false`,
  ])();
}

/** Constants with text that would write if it were not quoted. */
const constants = [
  '1',
  'NULL',
  `'DELETE FROM victim'`,
  `E'\\'; DELETE FROM victim; --'`,
  `'it''s; DELETE FROM victim'`,
  '$$; DELETE FROM victim; $$',
  '$a$ $$; DELETE FROM victim; $a$',
  `U&'\\0027; DELETE FROM victim'`,
  `U&'!0041' UESCAPE '!'`,
  `'a'\n'b; DELETE FROM victim'`,
  `B'1'::text`,
  `X'1F'::text`,
  '1.5e3',
  '(-1)',
  `'é; ☃'`,
];

const evilCalls = [
  'evil()',
  'public.evil()',
  '"evil"()',
  'U&"\\0065vil"()',
  'EVIL ( )',
  'evil/* ; */(/**/)',
  '"public" . "evil" (\n)',
  'evil(1)',
  '(1 %% 2)',
  'evil_stable()',
  '(SELECT evil_sum(1))',
  '(SELECT x FROM evil_view)',
];

function expression(disguise: Disguise, depth: number): string {
  const { random, calls } = disguise;
  if (depth === 0 || random.chance(0.3)) {
    const atom = calls && random.chance(0.4) ? random.pick(evilCalls) : random.pick(constants);
    return random.chance(0.5) ? `CAST(${atom} AS text)` : `(${atom})::text`;
  }
  const inner = () => expression(disguise, depth - 1);
  const subquery = () => query(disguise, depth - 1);
  return random.pick([
    () => `(SELECT max(x) FROM (${subquery()}) AS q(x))`,
    () => `CASE WHEN ${condition(disguise, depth - 1)} THEN ${inner()} END`,
    () => `COALESCE(${inner()}, ${inner()})`,
    () => `ROW(${inner()}, ${inner()})::text`,
    () => `(ARRAY[${inner()}])[1]`,
    () => `ARRAY(${subquery()})::text`,
    () => `concat(${inner()}, ${inner()})`,
    () => `format('%s', VARIADIC ARRAY[${inner()}])`,
    () => `${inner()} || ${inner()}`,
    () => `NULLIF(${inner()}, 'x')`,
    () => `(${inner()} COLLATE "C")`,
    () => `(EXISTS${space(random)}(${subquery()}))::text`,
    () => `(SELECT (count(${inner()}) FILTER (WHERE true) OVER ())::text)`,
  ])();
}

function space(random: Random): string {
  return random.pick([
    ' ',
    '\n',
    '\t',
    '\f',
    '\r\n',
    ' /* ; DELETE FROM victim; */ ',
    ' /* /* nested */ ; */ ',
    ` /* ' */ `,
    ' -- ; DELETE FROM victim\n',
    ` --'\n`,
    ' /* $a$ */ ',
  ]);
}
