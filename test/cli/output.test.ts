/** Colours and tables. */
import { createPaint, themeOf, wantsColour } from '../../src/cli/output/colour.ts';
import type { RowsForm } from '../../src/cli/output/table.ts';
import { createRowsWriter, displayWidth } from '../../src/cli/output/table.ts';
import { assert, suite } from '../helpers/suite.ts';

const plain = createPaint(false);

suite('colours', (test) => {
  const cases: [string, Parameters<typeof wantsColour>, boolean][] = [
    ['a terminal has them', ['auto', {}, true], true],
    ['a pipe has none', ['auto', {}, false], false],
    ['NO_COLOR turns them off', ['auto', { NO_COLOR: '1' }, true], false],
    ['an empty NO_COLOR does not', ['auto', { NO_COLOR: '' }, true], true],
    [
      'NO_COLOR goes before FORCE_COLOR',
      ['auto', { NO_COLOR: '1', FORCE_COLOR: '1' }, true],
      false,
    ],
    ['FORCE_COLOR turns them on', ['auto', { FORCE_COLOR: '1' }, false], true],
    ['FORCE_COLOR=0 turns them off', ['auto', { FORCE_COLOR: '0' }, true], false],
    ['CLICOLOR_FORCE turns them on', ['auto', { CLICOLOR_FORCE: '1' }, false], true],
    [
      'FORCE_COLOR goes before CLICOLOR',
      ['auto', { FORCE_COLOR: '1', CLICOLOR: '0' }, false],
      true,
    ],
    ['CLICOLOR=0 turns them off', ['auto', { CLICOLOR: '0' }, true], false],
    ['TERM=dumb turns them off', ['auto', { TERM: 'dumb' }, true], false],
    ['the flag goes before NO_COLOR', ['always', { NO_COLOR: '1' }, false], true],
    ['the flag goes before FORCE_COLOR', ['never', { FORCE_COLOR: '1' }, true], false],
  ];
  for (const [name, args, wanted] of cases) {
    test(name, () => {
      assert.is(wantsColour(...args), wanted);
    });
  }
});

suite('themes', (test) => {
  test('have other colours, and the same text', () => {
    const [standard, other] = [createPaint(true), createPaint(true, 'blue-orange')];
    assert.is(standard('added', '+ 1'), '\x1b[32m+ 1\x1b[39m');
    assert.is(other('added', '+ 1'), '\x1b[94m+ 1\x1b[39m');
    assert.equal([{}, { STAGE_THEME: 'blue-orange' }, { STAGE_THEME: 'x' }].map(themeOf), [
      'standard',
      'blue-orange',
      'standard',
    ]);
  });
});

suite('tables', (test) => {
  test('align what people read', () => {
    const columns = [
      { title: 'name' },
      { title: 'rows', align: 'right' as const },
      { title: 'note' },
    ];
    const rows = [
      ['日本', '7', ''],
      ['Zoe\u0308', '12', 'x'],
    ];
    const write = createRowsWriter('table', columns, plain);
    assert.equal(write(rows).split('\n'), [
      'NAME  ROWS  NOTE',
      '日本     7',
      'Zoe\u0308     12  x',
      '',
    ]);
    assert.is(write([['c', '1', '']]), 'c        1\n');
  });

  const odd = [
    ['=1+1', '', 'say "hi"'],
    ['a|b', '-5', '@ada'],
  ];
  const columns = ['a', 'b', 'c'].map((title) => ({ title }));
  const forms: [RowsForm, string][] = [
    ['tsv', '=1+1\t\tsay "hi"\na|b\t-5\t@ada\n'],
    ['csv', `a,b,c\n'=1+1,"","say ""hi"""\na|b,'-5,'@ada\n`],
    [
      'markdown',
      '| a | b | c |\n| --- | --- | --- |\n' +
        '| <code>&#61;1&#43;1</code> |  | <code>say &#34;hi&#34;</code> |\n' +
        '| <code>a&#124;b</code> | -5 | <code>&#64;ada</code> |\n',
    ],
  ];
  for (const [form, expected] of forms) {
    test(`are written as ${form}`, () => {
      assert.is(createRowsWriter(form, columns, plain)(odd), expected);
    });
  }

  test('count columns, not characters', () => {
    assert.is(displayWidth('abc'), 3);
    assert.is(displayWidth('日本'), 4);
    assert.is(displayWidth('e\u0301'), 1);
    assert.is(displayWidth('👍'), 2);
  });
});
