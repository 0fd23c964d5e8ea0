/** Texts of the same shape have the same tokens except for the values of literals, by PostgreSQL's own scanner. */
import { loadParser, scanTokens } from '../../src/sql/parser/parser.ts';
import { ShapeReader } from '../../src/sql/parser/shape.ts';
import { SqlSyntaxError } from '../../src/sql/parser/syntax-error.ts';
import { assert, suite } from '../helpers/suite.ts';
import { literalVariants } from './literals.ts';

const reader = new ShapeReader();
const shapeOf = (sql: string) => reader.read(Buffer.from(sql));

suite('sql: shapes', (test) => {
  test.before(loadParser);

  test('is the same whatever the literals', () => {
    const one = shapeOf('SELECT "a".b FROM t1 WHERE x = 1 AND y > -2.5 AND z = \'é -- $$ /* ; "\'');
    assert.is(shapeOf('SELECT "a".b FROM t1 WHERE x = 42 AND y > -10.0 AND z = \'\''), one);
    assert.is.not(one, null);
  });

  test('tells names, kinds of literals and numbers beyond 32 bits apart', () => {
    const all = ['1', '1.0', "'1'", 't1', '"1"', '- 1', '(1)'];
    const shapes = all.map((each) => shapeOf(`SELECT ${each}`));
    assert.is(new Set(shapes).size, all.length);
    assert.is(shapeOf('SELECT 2147483647'), shapeOf('SELECT 0'));
    assert.is(shapeOf('SELECT 99999999999999999999'), shapeOf('SELECT 2147483648'));
  });

  for (const odd of [
    "E'a'",
    "b'1'",
    "X'1'",
    "n'a'",
    "U&'a'",
    'U&"a"',
    "'a'\n'b'",
    "'it''s'",
    "'\\'",
    "'a",
    '"a',
    '$$a$$',
    '$1',
    '1e5',
    '0x1',
    '1_0',
    '1.',
    '.5',
    '1..2',
    '1a',
    'a.1',
    "1'a'",
    '1 -- a',
    '/* a */ 1',
    '\u0001',
    '\u0002',
    `'${'a'.repeat(4096)}'`,
  ]) {
    test(`there is none of ${JSON.stringify(odd.slice(0, 20))}`, () =>
      assert.is(shapeOf(`SELECT ${odd}`), null));
  }

  test('means the same tokens to PostgreSQL', () => {
    const tokensOf = new Map<string, string>();
    let compared = 0;
    for (const sql of literalVariants()) {
      const shape = shapeOf(sql);
      if (shape === null) continue;
      const tokens = describeTokens(sql);
      const known = tokensOf.get(shape);
      if (known !== undefined) compared += 1;
      assert.is(known ?? tokens, tokens, sql);
      tokensOf.set(shape, tokens);
    }
    assert.ok(compared > 1_000, `${compared} compared`);
  });
});

const literals = new Set(['ICONST', 'FCONST', 'SCONST']);

function describeTokens(sql: string): string {
  try {
    return JSON.stringify(
      scanTokens(Buffer.from(sql)).map(({ tokenName, text }) =>
        literals.has(tokenName) ? tokenName : text,
      ),
    );
  } catch (error) {
    if (error instanceof SqlSyntaxError) return 'none';
    throw error;
  }
}
