/** Text from others cannot control a terminal. */
import { nameCell, textCell, valueCell } from '../../src/client/cell.ts';
import { sanitize } from '../../src/client/sanitize.ts';
import { JsonText } from '../../src/model/json.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';

/** The characters that may reach a terminal: visible characters, combining marks, and the ordinary space. */
const harmless = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u;
const invisible = /\p{Default_Ignorable_Code_Point}|[\u2800\u115f\u1160\u3164\uffa0]/u;

const shows = [
  sanitize,
  textCell,
  nameCell,
  (text: string) => valueCell(new JsonText(JSON.stringify(text))),
  (text: string) => valueCell(new JsonText(JSON.stringify({ [text]: [text] }))),
];

suite('sanitiser', (test) => {
  test('lets nothing through that acts or hides, whatever the text', () => {
    const random = createRandom(20_260_131);
    const seeds = [
      '\x1b[8m',
      '\x1b]52;c;aGk=\x07',
      '\u202e',
      '\u2066',
      '\u200b',
      '\r',
      '\t',
      'a',
      "'",
      '\\',
      '→',
    ];
    for (let round = 0; round < 20_000; round += 1) {
      const text = Array.from({ length: 1 + random.below(12) }, () =>
        random.chance(0.4) ? random.pick(seeds) : String.fromCodePoint(random.below(0x110000)),
      ).join('');
      for (const show of shows) {
        const shown = show(text);
        if (!harmless.test(shown) || invisible.test(shown))
          assert.unreachable(JSON.stringify(text));
      }
    }
    assert.ok(true);
  });

  test('lets no code point through alone that acts or hides', () => {
    for (let code = 0; code <= 0x10ffff; code += 1) {
      const shown = sanitize(String.fromCodePoint(code));
      if (!harmless.test(shown) || invisible.test(shown)) assert.unreachable(code.toString(16));
    }
    assert.ok(true);
  });

  test('shows what it replaced', () => {
    assert.is(
      sanitize('a\x1b[31mb\u202e\u00a0\u{e0041}\ud800\n'),
      'a\\x1b[31mb\\u202e\\u00a0\\U000e0041\\ud800\\n',
    );
  });

  test('leaves other writing as it is', () => {
    for (const text of ['plain text', 'Zoë Müller', '日本語', 'שלום', '👍 ok', "C:\\temp 'x'"]) {
      assert.is(sanitize(text), text);
    }
  });
});

suite('cells', (test) => {
  const cells: [string, string][] = [
    ['null', 'NULL'],
    ['""', "''"],
    ['"NULL"', "'NULL'"],
    ['"null"', "'null'"],
    ['" a"', "' a'"],
    ['"a "', "'a '"],
    ['"a  b"', "'a  b'"],
    ['"a → b"', "'a → b'"],
    ['"a: b"', "'a: b'"],
    ['"it\'s"', "it's"],
    ['"\'a\'"', "'''a'''"],
    ['"a\\nb\\\\"', "E'a\\nb\\\\'"],
    ['9007199254740993', '9007199254740993'],
    ['1.10', '1.10'],
    ['true', 'true'],
    ['{"a": [1, 2]}', '{"a": [1, 2]}'],
  ];
  for (const [json, shown] of cells) {
    test(`shows ${json} as ${shown}`, () => {
      assert.is(valueCell(new JsonText(json)), shown);
    });
  }

  test('quotes names that are no plain words', () => {
    assert.is(nameCell('shop.orders'), '"shop.orders"');
    assert.is(nameCell('Größe_2'), 'Größe_2');
    assert.is(nameCell('odd "name"'), '"odd ""name"""');
    assert.is(nameCell(''), '""');
  });

  test('tells two texts apart that differ only in what is escaped', () => {
    const texts = ['a\nb', 'a\\nb', "E'a\\nb'", "'a'", 'a', '', ' ', '\t', '\\t', 'NULL'];
    assert.is(new Set(texts.map(textCell)).size, texts.length);
  });
});
