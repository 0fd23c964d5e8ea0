/** The formats of a diff: no value of a row can change their structure. */

import { createCsvFormat } from '../../../src/cli/diff/csv.ts';
import { createJsonFormat, createJsonLinesFormat } from '../../../src/cli/diff/json.ts';
import { textModes } from '../../../src/cli/diff/text-modes.ts';
import { furtherExplained } from '../../../src/client/words.ts';
import { createRandom } from '../../helpers/random.ts';
import { assert, suite } from '../../helpers/suite.ts';
import type { Create } from './written.ts';
import { forms, text, written } from './written.ts';

const row = (status: string) => `{"id":7,"status":${status},"note":null}`;
const summary = '{"total_inserts":1,"total_updates":2,"total_deletes":1,"tables_affected":2}';
const diff =
  `{"session_id":"sess_1","summary":${summary},"tables":{"orders":{"inserts":1,"updates":1,"deletes":1,"changes":[` +
  `{"type":"INSERT","row_id":8,"before":null,"after":{"id":8,"status":"","note":"a\\u001b[2Jb"}},` +
  `{"type":"UPDATE","row_id":7,"before":${row('"new"')},"after":${row('"paid"')}},` +
  `{"type":"DELETE","row_id":{"a":1,"b":"x"},"before":{"a":1,"b":"x","n":12345678901234567890.10},"after":null}]},` +
  `"crm.people":{"inserts":0,"updates":1,"deletes":0,"changes":[` +
  `{"type":"UPDATE","row_id":1,"before":{"id":1,"old":2},"after":{"id":1,"new":null}}]}},"digest":"sha256:ab"}`;
const empty = '{"session_id":"sess_1","summary":{},"tables":{},"digest":"sha256:0"}';

/** Three tables, of which the first and the last have no net change. */
const further =
  `{"session_id":"sess_1","digest":"sha256:ab","summary":{"total_inserts":1,"total_updates":0,"total_deletes":0,"tables_affected":3,"further_changes":7},"tables":{` +
  `"ledger":{"inserts":0,"updates":0,"deletes":0,"further_changes":4,"changes":[]},` +
  `"t":{"inserts":1,"updates":0,"deletes":0,"further_changes":2,"changes":[{"type":"INSERT","row_id":8,"before":null,"after":{"id":8}}]},` +
  `"z":{"inserts":0,"updates":0,"deletes":0,"further_changes":1,"changes":[]}}}`;

const lines = (create: Create, json = diff) => written(create, json).split('\n').slice(0, -1);

suite('diff as text', (test) => {
  test('has a line a change, counts a table, and a total', () => {
    assert.equal(lines(text()), [
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

  test('counts what approval replays beside the changes, also of tables where nothing is left', () => {
    assert.equal(lines(text(), further), [
      'ledger',
      '  4 further changes, net 0',
      '',
      't',
      '  + 8  id: 8',
      '  1 inserted, 0 updated, 0 deleted, 2 further changes',
      '',
      'z',
      '  1 further change, net 0',
      '',
      '1 inserted, 0 updated, 0 deleted, 7 further changes in 3 tables',
      furtherExplained,
      'digest sha256:ab',
    ]);
  });

  test('shows the columns around a change as its context', () => {
    assert.ok(lines(text('context')).includes('  ~ 7  id: 7  status: new → paid  note: NULL'));
  });

  test('stacks the columns', () => {
    assert.equal(lines(text('stacked')).slice(0, 6), [
      'orders',
      '  + 8',
      '      id      8',
      "      status  ''",
      "      note    E'a\\x1b[2Jb'",
      '  ~ 7',
    ]);
  });

  test('sets the two sides beside each other', () => {
    const shown = lines(text('side-by-side'));
    assert.ok(shown.includes('      status  new  |  paid'));
    assert.ok(shown.includes('      a  1                        |'));
    assert.ok(shown.includes("      status    |  ''"));
  });

  for (const mode of textModes) {
    test(`is the same in colour once the colours are gone: ${mode}`, () => {
      const coloured = written(text(mode, true), diff);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
      const bare = coloured.replaceAll(/\x1b\[\d+m/g, '');
      assert.is(bare, written(text(mode), diff));
      assert.not.equal(coloured, bare);
    });
  }

  test('says how many of the changes it shows', () => {
    const shown = written(text(), diff, (id) => id === '7');
    assert.match(shown, /\n1 of 4 changes shown\n1 inserted, 2 updated, 1 deleted in 2 tables\n/);
  });

  test('says that there is nothing', () => {
    assert.equal(lines(text(), empty), ['No changes.']);
  });
});

suite('diff for programs', (test) => {
  test('is the document itself as JSON', () => {
    assert.is(written(createJsonFormat, diff), `${diff}\n`);
    assert.is(written(createJsonFormat, empty), `${empty}\n`);
  });

  test('keeps a chosen part of it a document', () => {
    const part = JSON.parse(written(createJsonFormat, diff, (id) => id === '1'));
    assert.equal(Object.keys(part.tables), ['crm.people']);
    assert.is(part.tables['crm.people'].changes.length, 1);
    assert.is(part.digest, 'sha256:ab');
  });

  test('has one JSON object a line', () => {
    const changes = lines(createJsonLinesFormat).map((line) => JSON.parse(line));
    assert.equal(changes.pop(), { end: true, changes: 4, digest: 'sha256:ab' });
    assert.equal(
      changes.map(({ table, type, row_id }) => [table, type, row_id]),
      [
        ['orders', 'INSERT', 8],
        ['orders', 'UPDATE', 7],
        ['orders', 'DELETE', { a: 1, b: 'x' }],
        ['crm.people', 'UPDATE', 1],
      ],
    );
    assert.match(lines(createJsonLinesFormat)[2] ?? '', /12345678901234567890\.10/);
  });

  test('has a line a changed cell as CSV', () => {
    assert.equal(lines(createCsvFormat), [
      'table,operation,row,column,before,after',
      'orders,INSERT,8,id,,8',
      'orders,INSERT,8,status,,""',
      "orders,INSERT,8,note,,E'a\\x1b[2Jb'",
      'orders,UPDATE,7,status,new,paid',
      'orders,DELETE,"a=1,b=x",a,1,',
      'orders,DELETE,"a=1,b=x",b,x,',
      'orders,DELETE,"a=1,b=x",n,12345678901234567890.10,',
      'crm.people,UPDATE,1,old,2,',
      'crm.people,UPDATE,1,new,,',
      ',end,,,4,sha256:ab',
    ]);
    assert.equal(lines(createCsvFormat, empty), [
      'table,operation,row,column,before,after',
      ',end,,,0,sha256:0',
    ]);
  });

  test('has a key as CSV as its column, so that the two can be joined', () => {
    for (const key of ['a\u001bb', '', 'null', "E'x'", '=1+1', 'a,b', ' x', 'plain']) {
      const value = JSON.stringify(key);
      const change = `{"type":"INSERT","row_id":${value},"before":null,"after":{"id":${value}}}`;
      const csv = written(
        createCsvFormat,
        `{"session_id":"s","tables":{"t":{"changes":[${change}]}}}`,
      );
      const [, field, after] = /^t,INSERT,(.*),id,,(.*)$/m.exec(csv) ?? [];
      assert.is(field, after);
    }
  });

  test('names tables where nothing is left in JSON and Markdown', () => {
    assert.equal(JSON.parse(written(createJsonFormat, further)), JSON.parse(further));
    const silent = further.replace(/"t":.*?\]\},/, '');
    assert.equal(JSON.parse(written(createJsonFormat, silent)), JSON.parse(silent));
    const shown = written(forms['markdown'] as Create, further);
    assert.match(shown, /<code>t<\/code>: 1 inserted, 0 updated, 0 deleted, 2 further changes/);
    assert.match(shown, /\n<code>ledger<\/code>: 4 further changes, net 0\n/);
    assert.match(shown, /\*\*1 inserted, 0 updated, 0 deleted, 7 further changes in 3 tables\*\*/);
    assert.ok(shown.includes(furtherExplained));
  });

  test('folds each table away as Markdown', () => {
    const shown = written(forms['markdown'] as Create, diff);
    assert.match(
      shown,
      /^<details>\n<summary><code>orders<\/code>: 1 inserted, 1 updated, 1 deleted/,
    );
    assert.match(
      shown,
      /\| ~ updated \| <code>7<\/code> \| <code>status<\/code>: <code>new<\/code> → <code>paid<\/code> \|/,
    );
    assert.match(
      shown,
      /\*\*1 inserted, 2 updated, 1 deleted in 2 tables\*\*\n\nDigest: `sha256:ab`\n$/,
    );
    assert.is(shown.match(/<details>/g)?.length, 2);
    assert.is(shown.match(/<\/details>/g)?.length, 2);
  });

  test('fits Markdown into a comment and says what is missing', () => {
    const many = Array.from(
      { length: 5000 },
      (_, id) =>
        `{"type":"INSERT","row_id":${id},"before":null,"after":{"id":${id},"note":"some words that take room"}}`,
    );
    const large = `{"digest":"sha256:ab","summary":{"total_inserts":5000,"tables_affected":1},"tables":{"t":{"inserts":5000,"changes":[${many}]}}}`;
    const shown = written(forms['markdown'] as Create, large);
    assert.ok(shown.length < 65_536);
    const rows = shown.match(/^\| \+ inserted/gm)?.length ?? 0;
    assert.match(
      shown,
      new RegExp(`${5000 - rows} of the 5000 changes are not shown here: .stage diff sess_1.`),
    );
  });
});

suite('hostile rows', (test) => {
  const seeds = [
    '\x1b[8m',
    '\x1b]52;c;aGk=\x07',
    '\u009b2J',
    '\u202e',
    '\u200b',
    '\r',
    '\n',
    '\n| x |',
    '</details>',
    '<img src=x>',
    '@ada',
    '`',
    '|',
    '[a](http://b)',
    'www.evil.example',
    '=1+1',
    '"',
    ',',
    '\\',
    "'",
    '→',
  ];
  const random = createRandom(20_260_202);
  const hostile = () =>
    Array.from({ length: 1 + random.below(8) }, () =>
      random.chance(0.6) ? random.pick(seeds) : String.fromCodePoint(random.below(0xd800)),
    ).join('');

  const document = (table: string, column: string, value: string) =>
    `{"digest":"sha256:ab","summary":{"total_updates":1,"tables_affected":1},"tables":{${table}:{"updates":1,"changes":[` +
    `{"type":"UPDATE","row_id":${value},"before":{${column}:${value}},"after":{${column}:{"x":${value}}}}]},` +
    `${column.slice(0, -1)} ":{"further_changes":1,"changes":[]}}}`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
  const colours = /\x1b\[\d+m/g;
  const acting = /[^\P{C}\n]|\p{Default_Ignorable_Code_Point}|[\u2028\u2029\u00a0\u2800]/u;
  const markup = /<(?!\/?(?:details|summary|code|br)>)|@|`(?!sha256:ab`)(?<!sha256:ab`)|\[|:\/\//;

  const checks: Readonly<Record<string, (shown: string, json: string) => void>> = {
    json: (shown, json) => assert.equal(JSON.parse(shown), JSON.parse(json)),
    jsonl: (shown, json) => {
      const [line = '', end] = shown.split('\n');
      assert.ok(json.includes(JSON.stringify(JSON.parse(line).row_id)));
      assert.is(end, '{"end":true,"changes":1,"digest":"sha256:ab"}');
    },
    markdown: (shown) => assert.not.match(shown, markup),
  };

  for (const [name, create] of Object.entries(forms)) {
    test(`neither act nor hide, nor add a line, as ${name}`, () => {
      const lineCount = lines(create, document('"t"', '"c"', '"a"')).length;
      for (let round = 0; round < 400; round += 1) {
        const texts = [hostile(), hostile(), hostile()].map((part) => JSON.stringify(part));
        const json = document(...(texts as [string, string, string]));
        const shown = written(create, json).replaceAll(colours, '');
        assert.not.match(shown, acting);
        assert.is(shown.split('\n').length, lineCount + 1);
        checks[name]?.(shown, json);
      }
    });
  }
});
