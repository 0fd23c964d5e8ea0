/** Text in columns of a terminal, lines of spans, and differences within texts. */
import stringWidth from 'string-width';
import { jsonDifferences } from '../../src/client/json-diff.ts';
import { wordDifferences } from '../../src/client/word-diff.ts';
import { JsonText } from '../../src/model/json.ts';
import { fitLine, lineWidth, span, textOf, wrapLine } from '../../src/tui/terminal/line.ts';
import { cut, fit, startOf, widthOf, wrap } from '../../src/tui/terminal/text.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';

const writings = ['plain', '日本語', '한글', '👍', 'é', 'שלום', ' ', '→', 'a\u0301', 'ｗｉｄｅ'];

suite('text in columns', (test) => {
  test('wide characters take two', () => {
    assert.equal(['ab', '日本', '👍', 'a\u0301'].map(widthOf), [2, 4, 2, 1]);
  });

  test('has the width that string-width knows, for every character of the writings that are counted', () => {
    const all = Array.from({ length: 0x3000 }, (_, index) => String.fromCodePoint(index + 0x20));
    assert.equal(
      all.filter((character) => widthOf(character) !== stringWidth(character)),
      [],
    );
  });

  test('cut and fit give whole characters, and never more columns than there are', () => {
    assert.is(cut('日本語', 5), '日本…');
    assert.is(fit('日本語', 4), '日… ');
    assert.is(fit('7', 3, 'right'), '  7');
    assert.is(cut('abc', 3), 'abc');
    assert.is(cut('abc', 0), '');
  });

  test('whatever is written in it, a line has the width that was asked for', () => {
    const random = createRandom(7);
    for (let round = 0; round < 2000; round += 1) {
      const line = Array.from({ length: random.below(5) }, () =>
        span(Array.from({ length: random.below(6) }, () => random.pick(writings)).join('')),
      );
      const width = random.below(30);
      if (lineWidth(fitLine(line, width)) !== width) assert.unreachable(`${textOf(line)} ${width}`);
      const wrapped = wrapLine(line, width + 2);
      if (wrapped.some((part) => lineWidth(part) > width + 2)) assert.unreachable(textOf(line));
      assert.is(wrapped.map(textOf).join(''), textOf(line));
    }
  });

  test('wraps at spaces, and long words anywhere', () => {
    assert.equal(wrap('the quick brown fox', 10), ['the quick', 'brown fox']);
    assert.equal(wrap('abcdefghij', 4), ['abcd', 'efgh', 'ij']);
    assert.is(startOf('日本', 3), '日');
  });
});

suite('differences within values', (test) => {
  const shown = (before: string, after: string) =>
    wordDifferences(before, after)
      .map(({ kind, text }) => ({ same: text, removed: `[-${text}-]`, added: `{+${text}+}` })[kind])
      .join('');

  test('are told word by word', () => {
    assert.is(shown('the quick fox', 'the slow fox'), 'the [-quick-]{+slow+} fox');
    assert.is(shown('brown fox runs', 'red panda runs'), '[-brown fox-]{+red panda+} runs');
    assert.is(shown('same', 'same'), 'same');
    assert.is(shown('', 'new'), '{+new+}');
    assert.is(shown('a b c d', 'a c d e'), 'a [-b -]c d{+ e+}');
  });

  test('lose and invent nothing, however long the texts are', () => {
    const random = createRandom(11);
    for (let round = 0; round < 300; round += 1) {
      const text = () =>
        Array.from({ length: random.below(round % 10 === 0 ? 900 : 30) }, () =>
          random.pick(['a', 'b', 'word', ' ', ', ', '日本', '\n']),
        ).join('');
      const [before, after] = [text(), text()];
      const parts = wordDifferences(before, after);
      const side = (kind: string) =>
        parts.map((part) => (part.kind === 'same' || part.kind === kind ? part.text : '')).join('');
      if (side('removed') !== before || side('added') !== after) {
        assert.unreachable(JSON.stringify([before, after]));
      }
    }
    assert.ok(true);
  });

  test('of documents are told path by path, and no number is rounded', () => {
    const before = '{"a": {"b": 1, "c": [1, 2]}, "gone": true, "n": 9007199254740993}';
    const after = '{"a": {"b": 2, "c": [1, 3, 4]}, "n": 9007199254740994, "x y": null}';
    const found = jsonDifferences(new JsonText(before), new JsonText(after));
    assert.equal(
      found.map(({ path, before: old, after: now }) => [path, old?.text, now?.text]),
      [
        ['a.b', '1', '2'],
        ['a.c[1]', '2', '3'],
        ['a.c[2]', undefined, '4'],
        ['gone', 'true', undefined],
        ['n', '9007199254740993', '9007199254740994'],
        ['"x y"', undefined, 'null'],
      ],
    );
  });

  test('of deeply nested documents do not go on for ever', () => {
    const deep = (inner: string) => '['.repeat(5000) + inner + ']'.repeat(5000);
    const found = jsonDifferences(new JsonText(deep('1')), new JsonText(deep('2')));
    assert.is(found.length, 1);
  });
});
