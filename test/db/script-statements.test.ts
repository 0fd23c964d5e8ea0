/** Which statement of a script is at a position. */
import { statementAt, statementOfNumber } from '../../src/db/script-statements.ts';
import { assert, suite } from '../helpers/suite.ts';

const script = String.raw`-- first; comment
SELECT 'it''s; "x"';; SELECT E'\';' AS "a;b"; /* /* ; */ ; */
SELECT $a$ ; $$ ; $a$, b$c$, $1;

\! echo; -- 😀
UPDATE t
SET a = 1`;

suite('statements of a script', (test) => {
  test('are counted and placed as the server counts them', () => {
    const found = [1, 2, 3, 4, 5, 6, 9].map((number) => statementOfNumber(script, number));
    assert.equal(
      found.map((each) => each && [each.number, each.line, each.text]),
      [
        [1, 2, `SELECT 'it''s; "x"'`],
        [2, 2, String.raw`SELECT E'\';' AS "a;b"`],
        [3, 3, 'SELECT $a$ ; $$ ; $a$, b$c$, $1'],
        [4, 5, String.raw`\! echo`],
        [5, 6, 'UPDATE t SET a = 1'],
        [5, 6, 'UPDATE t SET a = 1'],
        [5, 6, 'UPDATE t SET a = 1'],
      ],
    );
  });

  test('are found by a place in characters, and cut', () => {
    const at = [...script].indexOf('😀') + 1;
    assert.is(statementAt(script, at)?.number, 5);
    assert.is(statementAt(script, 1)?.number, 1);
    assert.is(statementAt(script, 10_000)?.number, 5);
    const long = statementAt(`SELECT ${'😀'.repeat(200)}`, 8)?.text ?? '';
    assert.equal([[...long].length, long.at(-1)], [101, '…']);
    assert.equal([statementAt('', 1), statementAt(' ;; -- x', 2)], [null, null]);
  });

  test('end somewhere in any text', () => {
    for (const text of ["'", '"', '$a$', '/* /*', "E'\\", '$', '--', 'a /*', "E'a''"])
      for (let at = 1; at <= text.length + 1; at += 1) statementAt(`SELECT 1; ${text}`, at + 10);
    const literal = `SELECT E'${'\\n'.repeat(1_000_000)}'`;
    assert.is(statementOfNumber(`${literal}; SELECT 2`, 2)?.text, 'SELECT 2');
  });
});
