/** The limit on the parser's work for a text: literals and comments are free, and everything that is parsed counts. */
import { allowHeavyTexts, loadParser, scanTokens } from '../../src/sql/parser/parser.ts';
import { isLight, weightOf } from '../../src/sql/parser/text-weight.ts';
import { randomText } from '../attacks/random-text.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';
import { summaryOf, verdictOf } from './verdict-summary.ts';

const texts: readonly (readonly [string, number])[] = [
  ['SELECT 1', 2],
  ['SELECT a1, "b, c", $1 + 2.5', 10],
  ['SELECT 1; SELECT 2;', 26],
  [`SELECT '1, 2, 3''4, 5', 6`, 5],
  [`SELECT E'1, 2\\', 3', 4`, 5],
  [`SELECT E'1' -- 2, 3\n '\\'4, 5', 6`, 7],
  [`SELECT type'1\\', 2, 3 --'`, 8],
  [`SELECT $$1, 2$$, $a$3, $$ 4$a$, a$b$c, $1$2`, 9],
  ['SELECT /* 1, 2 /* 3 */ 4, */ 5 -- 6, 7', 4],
  ['SELECT 1 /*/ , 2', 3],
  [`SELECT '1, 2`, 2],
  // In a run of 200 operator characters, each is read once for each character before it.
  [`SELECT ${'+-'.repeat(100)}1`, 202 + 199],
  [`/${'*'.repeat(5000)}/ SELECT 1`, 2 + 1 + 50],
  [`SELECT 1 -- ${'-'.repeat(5000)}`, 3],
  [`SELECT '${'/*'.repeat(5000)}'`, 2],
  // The tree contains the query three times.
  ['UPDATE t SET (a, b, c) = (SELECT 1, 2, 3), d = 4', 10 + 3 * 9 + 4],
  ['SELECT 1 WHERE (a, b, c) = (1, 2, 3)', 18],
];

suite('the weight of a text', (test) => {
  test.before(() => {
    allowHeavyTexts();
    return loadParser();
  });

  for (const [text, weight] of texts) {
    test(text.slice(0, 80), () => {
      assert.is(Math.floor(weightOf(Buffer.from(text), weight + 1)), weight);
      assert.ok(weightOf(Buffer.from(text), weight - 1) > weight - 1);
    });
  }

  test('is never less than what PostgreSQL finds in it', () => {
    for (let seed = 1; seed <= 500; seed += 1) {
      const { text } = randomText({ random: createRandom(seed), calls: seed % 2 === 0 });
      const tokens = scanTokens(Buffer.from(text)).length;
      assert.ok(weightOf(Buffer.from(text), 1e9) >= tokens, text);
    }
  });

  test('is bounded, whatever hides it', () => {
    const list = Array.from({ length: 300_000 }, (_, index) => index).join();
    for (const text of [
      `SELECT 1 FROM t WHERE id IN (${list})`,
      `SELECT E'\\'', ${list}, '`,
      `SELECT E'a'\n'\\'', ${list}, '`,
      `/* ' */ SELECT ${list} -- '`,
      'SELECT 1;'.repeat(50_000),
      `SELECT ${`${'+'.repeat(900)}1,`.repeat(200)}1`,
      `UPDATE t SET (${Array(1000).fill('a')}) = (SELECT ${Array(1000).fill('1')})`,
      `${'UPDATE t SET (a, b) = (WITH x AS ('.repeat(40)}SELECT 1${') SELECT 1)'.repeat(40)}`,
    ]) {
      assert.is(summaryOf(verdictOf(text)), 'refuse 54000', text.slice(0, 40));
    }
    assert.is(summaryOf(verdictOf(`SELECT '${list}', $$${list}$$ /* ${list} */`)), 'read');
  });

  test('is infinite for a run of operator letters that is read again and again', () => {
    for (const run of ['+'.repeat(1001), '+-'.repeat(501), '/*'.repeat(750), '/**/'.repeat(501)])
      for (const text of [`SELECT ${run}1`, run, `SELECT 1 /* ${'/*'.repeat(750)} ${run}`])
        assert.is(summaryOf(verdictOf(text)), 'refuse 54001', text.slice(0, 40));
    assert.is(summaryOf(verdictOf(`SELECT ${'+'.repeat(1000)}1 /*${'='.repeat(5000)}*/`)), 'read');
  });

  test('decides where a text is parsed', () => {
    const list = (length: number) => Buffer.from(`SELECT 1 IN (${Array(length).fill(1)})`);
    for (const [text, light] of [
      [list(2000), true],
      [list(3000), false],
      [Buffer.from(`SELECT '${'x'.repeat(30_000)}'`), true],
      [Buffer.from(`SELECT '${'x'.repeat(40_000)}'`), false],
      [Buffer.from(`SELECT ${'+'.repeat(800)}1`), true],
      [Buffer.from(`SELECT ${`${'+'.repeat(800)}1,`.repeat(2)}1`), false],
    ] as const)
      assert.is(isLight(text), light, text.toString('latin1', 0, 40));
  });
});
