/** Replacing byte ranges. */
import { spliceBytes } from '../../src/sql/splice.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('sql: splice', (test) => {
  const text = Buffer.from('SELECT é FROM a, 😀');

  test('leaves a text without replacements as it is', () => {
    assert.is(spliceBytes(text, []).toString(), text.toString());
  });

  test('counts in bytes, in whatever order the replacements come', () => {
    const spliced = spliceBytes(text, [
      { start: 18, end: 22, text: '"ü"' },
      { start: 7, end: 9, text: 'x' },
      { start: 15, end: 16, text: '' },
    ]);
    assert.is(spliced.toString(), 'SELECT x FROM , "ü"');
  });

  test('inserts, and replaces neighbours', () => {
    const spliced = spliceBytes(Buffer.from('abc'), [
      { start: 0, end: 1, text: '1' },
      { start: 1, end: 2, text: '2' },
      { start: 3, end: 3, text: '!' },
    ]);
    assert.is(spliced.toString(), '12c!');
  });

  test('does not touch the text it was given', () => {
    const given = Buffer.from('abc');
    spliceBytes(given, [{ start: 0, end: 3, text: 'xyz' }]);
    assert.is(given.toString(), 'abc');
  });

  const wrong = {
    overlapping: [
      { start: 0, end: 2 },
      { start: 1, end: 3 },
    ],
    'inside out': [{ start: 2, end: 1 }],
    'beyond the end': [{ start: 0, end: 99 }],
    'before the start': [{ start: -1, end: 1 }],
  };
  for (const [what, ranges] of Object.entries(wrong)) {
    test(`refuses ranges that are ${what}`, () => {
      const replacements = ranges.map((range) => ({ ...range, text: '' }));
      assert.throws(
        () => spliceBytes(text, replacements),
        (error: unknown) => error instanceof RangeError,
      );
    });
  }
});
