/** Colours, tables, diffs as text. */
import { createPaint, wantsColour } from '../../src/cli/colour.ts';
import { DiffText } from '../../src/cli/diff-text.ts';
import { alignedTable, displayWidth, tabbedTable } from '../../src/cli/table.ts';
import { DiffReader } from '../../src/client/diff-reader.ts';
import { sanitize } from '../../src/client/sanitize.ts';
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
    assert.equal(alignedTable(columns, rows, plain), [
      'NAME  ROWS  NOTE',
      '日本     7',
      'Zoe\u0308     12  x',
    ]);
  });

  test('divide by tabs what programs read', () => {
    assert.equal(tabbedTable([['a', '', 'b']]), ['a\t\tb']);
  });

  test('count columns, not characters', () => {
    assert.is(displayWidth('abc'), 3);
    assert.is(displayWidth('日本'), 4);
    assert.is(displayWidth('e\u0301'), 1);
    assert.is(displayWidth('👍'), 2);
  });
});

suite('diff as text', (test) => {
  const row = (text: string) => `{"id":7,"status":${text},"note":null}`;
  const diff = `{"digest":"sha256:ab","tables":{"orders":{"inserts":1,"updates":1,"deletes":1,"changes":[
    {"type":"INSERT","row_id":8,"before":null,"after":{"id":8,"status":"","note":"a\\u001b[2Jb"}},
    {"type":"UPDATE","row_id":7,"before":${row('"new"')},"after":${row('"paid"')}},
    {"type":"DELETE","row_id":{"a":1,"b":"x"},"before":{"a":1,"b":"x","n":12345678901234567890.10},"after":null}]},
    "crm.people":{"inserts":0,"updates":1,"deletes":0,"changes":[
    {"type":"UPDATE","row_id":1,"before":{"id":1,"old":2},"after":{"id":1,"new":null}}]}}}`;

  function textOf(json: string, colour = false): string[] {
    const text = new DiffText(new DiffReader(), createPaint(colour));
    return [...text.push(json), ...text.end()];
  }

  test('has a line a change, counts a table, and a total', () => {
    assert.equal(textOf(diff), [
      'orders',
      "  + 8  id: 8  status: ''  note: E'a\\x1b[2Jb'",
      '  ~ 7  status: new → paid',
      '  - a=1,b=x  a: 1  b: x  n: 12345678901234567890.10',
      '  1 inserted, 1 updated, 1 deleted',
      '',
      'crm.people',
      '  ~ 1  old: 2 → (no column)  new: (no column) → NULL',
      '  0 inserted, 1 updated, 0 deleted',
      '',
      '1 inserted, 2 updated, 1 deleted in 2 tables',
      'digest sha256:ab',
    ]);
  });

  test('is the same in colour once the colours are gone', () => {
    const coloured = textOf(diff, true);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
    const bare = coloured.map((line) => line.replaceAll(/\x1b\[\d+m/g, ''));
    assert.equal(bare, textOf(diff));
    assert.not.equal(coloured, bare);
    for (const line of bare) assert.is(sanitize(line), line);
  });

  test('says that there is nothing', () => {
    assert.equal(textOf('{"digest":"sha256:0","tables":{}}'), ['No changes.']);
  });
});
