/** The bound on what a text makes the parser do: literals and comments are free, nothing that is parsed is. */
import { loadParser, scanTokens } from '../../src/sql/parser/parser.ts';
import { isHeavierThan } from '../../src/sql/parser/text-weight.ts';
import { randomText } from '../attacks/random-text.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';
import { summaryOf, verdictOf } from './judging.ts';

const texts: readonly (readonly [string, number])[] = [
  ['SELECT 1', 2],
  ['SELECT a1, "b, c", $1 + 2.5', 10],
  ['SELECT 1; SELECT 2;', 26],
  [`SELECT '1, 2, 3''4, 5', 6`, 5],
  [`SELECT E'1, 2\\', 3', 4`, 5],
  [`SELECT E'1' -- 2, 3\n '\\'4, 5', 6`, 6],
  [`SELECT type'1\\', 2, 3 --'`, 7],
  [`SELECT $$1, 2$$, $a$3, $$ 4$a$, a$b$c, $1$2`, 9],
  ['SELECT /* 1, 2 /* 3 */ 4, */ 5 -- 6, 7', 2],
  ['SELECT 1 /*/ , 2', 2],
  [`SELECT '1, 2`, 2],
];

suite('the weight of a text', (test) => {
  test.before(loadParser);

  for (const [text, weight] of texts) {
    test(text, () => {
      assert.is(isHeavierThan(Buffer.from(text), weight - 1), true);
      assert.is(isHeavierThan(Buffer.from(text), weight), false);
    });
  }

  test('is never less than what PostgreSQL finds in it', () => {
    for (let seed = 1; seed <= 500; seed += 1) {
      const { text } = randomText({ random: createRandom(seed), calls: seed % 2 === 0 });
      const tokens = scanTokens(Buffer.from(text)).length;
      if (tokens > 0) assert.ok(isHeavierThan(Buffer.from(text), tokens - 1), text);
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
    ]) {
      assert.is(summaryOf(verdictOf(text)), 'refuse 54000', text.slice(0, 40));
    }
    assert.is(summaryOf(verdictOf(`SELECT '${list}', $$${list}$$ /* ${list} */`)), 'read');
  });
});
