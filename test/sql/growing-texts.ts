/** Random texts that grow: one part of them is repeated, or nested in itself, a given number of times. */
import type { Random } from '../helpers/random.ts';

/** Expressions with a place for another expression. */
const wraps =
  `(@)|f(@)|- @|NOT @|@::int|a[@]|@ + 1|@ AND b|@ OR b|@ IN (1, 2)|a IN (@)|@ IS NULL|@ COLLATE "C"|ROW(@)|ARRAY[@]
(SELECT @)|(SELECT 1 FROM t WHERE @)|(SELECT @ FROM t GROUP BY a)|(SELECT 1 FROM t GROUP BY @)|(SELECT 1 FROM (SELECT @) x)
(SELECT 1 FROM t WHERE @ FOR UPDATE)|(SELECT 1 UNION SELECT @)|(WITH c AS (SELECT @) SELECT 1 FROM c)|EXISTS (SELECT @)
CASE WHEN @ THEN 1 END|CASE @ WHEN 1 THEN 2 END|COALESCE(@, 1)|f(a ORDER BY @)|f(a) FILTER (WHERE @)|f(@) OVER (PARTITION BY a)
JSON_OBJECT('a': @)|'x' || @|(a, b) = (@, 1)|@ BETWEEN 1 AND 2|(@).b|XMLELEMENT(NAME a, @)|@ /* c */|@ -- c\n|(SELECT s.t.a FROM s.t WHERE @)
(SELECT 1 FROM t LIMIT @)|(SELECT 1 FROM f(@))|(SELECT DISTINCT ON (@) 1)|(SELECT 1 FROM t WINDOW w AS (ORDER BY @))|(VALUES (@))`
    .split(/[|]|\n(?!\|)/)
    .filter((wrap) => wrap.includes('@'));
const leaves = [
  `1`,
  'a',
  't.a',
  `'x'`,
  '$1',
  'f()',
  '*',
  'NULL',
  `E'\\\\'`,
  '$$ $$',
  'U&"a"',
  '"b"',
];
/** Lists: the text before, an element with a place for an expression, the separator, the text after. */
const lists: readonly (readonly [string, string, string, string])[] = [
  ['SELECT ', '@', ',', ' FROM t'],
  ['SELECT 1 FROM t WHERE a IN (', '@', ',', ')'],
  ['SELECT 1 FROM t WHERE ', '@', ' AND ', ''],
  ['SELECT ', '@', ' + ', ''],
  ['SELECT ', 'a AS b', ',', ' FROM t GROUP BY 1, b, @'],
  ['SELECT a, b, c FROM t GROUP BY ', '@', ',', ''],
  ['SELECT a, b, c FROM t GROUP BY ', '3', ',', ' ORDER BY @'],
  ['SELECT 1 FROM ', 't', ',', ' WHERE @'],
  ['SELECT 1 FROM t ', 'JOIN t x ON @', ' ', ' FOR UPDATE'],
  ['SELECT 1 FROM t ', 'FOR UPDATE OF t', ' ', ''],
  ['', 'SELECT @', ' UNION ALL ', ''],
  ['', 'SELECT @', ';', ''],
  ['', 'DELETE FROM t WHERE @', ';', ''],
  ['INSERT INTO t VALUES ', '(@)', ',', ' ON CONFLICT (a) DO UPDATE SET a = $1'],
  [
    'INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE SET ',
    'a = @',
    ',',
    ' WHERE t.a = 1 RETURNING a',
  ],
  ['UPDATE t SET ', 'a = @', ',', ''],
  ['UPDATE t SET (', 'a', ',', ') = (SELECT @)'],
  ['UPDATE t SET ', '(a, b) = (SELECT @, 2)', ',', ' WHERE a = 1'],
  ['MERGE INTO t USING s ON a = b ', 'WHEN MATCHED AND @ THEN DELETE', ' ', ''],
  ['WITH ', 'a AS (SELECT @ FROM b)', ',', ' SELECT 1'],
  ['WITH ', 'a AS (INSERT INTO t VALUES (@) ON CONFLICT DO NOTHING)', ',', ' SELECT 1'],
  [
    'WITH ',
    'a AS (MERGE INTO t USING s ON @ WHEN MATCHED THEN DELETE RETURNING 1)',
    ',',
    ' SELECT 1',
  ],
  ['WITH RECURSIVE ', 'a AS (SELECT @ FROM b FOR UPDATE)', ',', ' SELECT 1'],
  ['SELECT 1 FROM t WINDOW ', 'w AS (PARTITION BY @)', ',', ''],
  ['PREPARE p (', 'int', ',', ') AS SELECT @'],
  ['EXPLAIN (', 'costs', ',', ') SELECT @'],
  ['COPY (SELECT @) TO STDOUT (', 'header', ',', ')'],
  ['DECLARE c CURSOR FOR SELECT ', '@', ',', ''],
];
/** The parts of texts that no grammar accepts. */
const signs =
  `/*|*/|--\n|-|+|*|/|<|=|@|?|'|''|"|$|$$|$a$|$1|E'|\\|U&'|U&"|(|)|[|]|,|;|:|::|.|..|1|1e|0x|a| |\n|é`.split(
    '|',
  );

/** A text, by the number of times that its part occurs. */
export type Growing = (times: number) => string;

/** Draws a statement with a list of equal elements, or with a nested expression. */
export function growingStatement(random: Random): Growing {
  const [before, element, between, behind] = random.pick(lists);
  const part = wrapped(random, random.pick(leaves), random.below(3));
  if (random.chance(0.5)) {
    return (times) => filled(before + Array(times).fill(element).join(between) + behind, part);
  }
  const wrap = wrapped(random, '@', 1 + random.below(2));
  return (times) => {
    const [open = '', close = ''] = wrap.split('@');
    const nested = open.repeat(times) + part + close.repeat(times);
    return filled(before + element + behind, nested);
  };
}

/** Draws a repeated sequence of signs, with the text around it. */
export function growingSigns(random: Random): Growing {
  const some = (most: number) =>
    Array.from({ length: random.below(most + 1) }, () => random.pick(signs)).join('');
  const [before, part, behind] = [some(3), random.pick(signs) + some(4), some(3)];
  return (times) => before + part.repeat(times) + behind;
}

function wrapped(random: Random, inner: string, times: number): string {
  let text = inner;
  for (let time = 0; time < times; time += 1) text = filled(random.pick(wraps), text);
  return text;
}

const filled = (template: string, part: string) => template.replaceAll('@', () => part);
