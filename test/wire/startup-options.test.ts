/** The `options` parameter, parsed as the server parses it. */
import type { StageError } from '../../src/errors.ts';
import { formatOptions, parseOptions } from '../../src/model/startup-options.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';

const setting = (name: string, value: string) => ({ kind: 'setting' as const, name, value });
const plain = (letter: string, value: string | null = null) => ({
  kind: 'switch' as const,
  letter,
  value,
});

suite('wire: startup options', (test) => {
  for (const [text, expected] of [
    ['', []],
    ['  \t\n ', []],
    ['-c a=b', [setting('a', 'b')]],
    ['-ca=b', [setting('a', 'b')]],
    ['--a=b', [setting('a', 'b')]],
    ['  -c   a=b\t--c=d  ', [setting('a', 'b'), setting('c', 'd')]],
    ['-c a=', [setting('a', '')]],
    ['-c a==b=', [setting('a', '=b=')]],
    ['-c a=b\\ c', [setting('a', 'b c')]],
    ['-c a=b\\\\c', [setting('a', 'b\\c')]],
    ['-c a=\\\\\\ ', [setting('a', '\\ ')]],
    ['-c\\ a=b', [setting(' a', 'b')]],
    ['-c a=b\\', [setting('a', 'b')]],
    ['-c search-path=x-y', [setting('search_path', 'x-y')]],
    ['--search-path=x', [setting('search_path', 'x')]],
    ['-e', [plain('e')]],
    ['-ec a=b', [plain('e'), setting('a', 'b')]],
    ['-e-a=b', [plain('e'), setting('a', 'b')]],
    ['-S 64', [plain('S', '64')]],
    ['-S64 -F', [plain('S', '64'), plain('F')]],
    ['-S -c a=b', 'refused'],
    ['-c', 'refused'],
    ['-c a', 'refused'],
    ['-c =b', 'refused'],
    ['-c=', 'refused'],
    ['--', 'refused'],
    ['--=b', 'refused'],
    ['-', 'refused'],
    ['a=b', 'refused'],
    ['-c a=b c', 'refused'],
    ['-c "a=b c"', 'refused'],
    ['\\', 'refused'],
    ['-é', 'refused'],
  ] as const) {
    test(`reads ${JSON.stringify(text)}`, () => {
      if (expected !== 'refused') {
        assert.equal(parseOptions(text), expected);
        assert.equal(parseOptions(formatOptions(parseOptions(text))), expected);
        return;
      }
      assert.throws(
        () => parseOptions(text),
        (error: StageError) => error.sqlstate === '08004',
      );
    });
  }

  test('writes what it would read again, whatever the values hold', () => {
    const random = createRandom(99);
    const characters = [...'ab=-\\ \t\n\v\f\r\'"é😀'];
    for (let round = 0; round < 5000; round += 1) {
      const value = Array.from({ length: random.below(12) }, () => random.pick(characters)).join(
        '',
      );
      const options = [setting('a', value), plain('S', `${value}x`), setting('b.c', 'd')];
      assert.equal(parseOptions(formatOptions(options)), options, JSON.stringify(value));
    }
  });
});
