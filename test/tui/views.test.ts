/** The contents of the screen, in every pane and on terminals of every size; no row can control the terminal. */
import type { Mutation } from '../../src/model/change.ts';
import type { Conflict } from '../../src/model/conflict.ts';
import { JsonText } from '../../src/model/json.ts';
import { lineWidth, textOf } from '../../src/tui/terminal/line.ts';
import { createTheme } from '../../src/tui/terminal/theme.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { Row } from './screen.ts';
import { changeOf, session, TestUi } from './screen.ts';

const words = 'The quick brown fox jumps over the lazy dog and runs far away into the deep forest';
const before: Row = {
  id: 1,
  status: 'open',
  body: words,
  doc: { a: { b: 1 }, c: [1] },
  note: null,
};
const after: Row = {
  ...before,
  body: words.replace('far', 'not far'),
  doc: { a: { b: 2 }, c: [1] },
};

const shop = (columns = 100, rows = 24) =>
  new TestUi(
    [
      changeOf(before, after),
      changeOf(null, { id: 2, status: '', body: 'a\tb\n', doc: null, note: 'NULL' }),
      changeOf({ id: 3, status: 'x ', body: 'gone', doc: 1.5, note: ' ' }, null),
    ],
    columns,
    rows,
  );

const mutation: Mutation = {
  id: 'mut_7',
  type: 'UPDATE',
  table: 'orders',
  query: 'UPDATE orders\n  SET status = $1',
  params: new JsonText('["paid", null, 9007199254740993]'),
  affectedRows: 1200,
  statement: null,
  executedAt: '2026-01-31T12:00:00.000000Z',
  role: 'app',
  login: null,
};

suite('tui: panes', (test) => {
  test('rows show what changed in its place, and tell kinds of nothing apart', () => {
    const { screen } = shop();
    assert.match(screen, /^ stage diff sess_ab12ab12 PROPOSED {2}\+1 ~1 -1 .* in shop/);
    assert.match(screen, /> ~ {4}1 │/);
    assert.match(screen, /and runs \{\+not \+\}/);
    assert.match(screen, /a\.b: 1 → 2/);
    assert.match(screen, / {2}\+ {4}2 │ ''/);
    assert.match(screen, /E'a\\tb\\n'/);
    assert.match(screen, /'x '/);
  });

  test('key columns stay when the others move', () => {
    const ui = shop(60);
    ui.press('l', 'l', 'l');
    assert.match(ui.screen, /id ‹/);
    assert.match(ui.screen, /note/);
    assert.match(ui.screen, /> ~ {4}1 │/);
    assert.match(ui.screen, /'NULL'/);
  });

  test('a difference far inside of a long text is on the screen', () => {
    const long = (middle: string) => `${'same '.repeat(5000)}${middle}${' end'.repeat(5000)}`;
    const ui = new TestUi([changeOf({ id: 1, t: long('old') }, { id: 1, t: long('new') })], 80);
    assert.match(ui.screen, /\[-old-\]\{\+new\+\}/);
    ui.press('enter');
    assert.match(ui.screen, /first difference.*\[-old-\]\{\+new\+\}|\[-old-\]\{\+new\+\}/);
    const huge = (end: string) => `${'x'.repeat(100_000)}${end}`;
    const other = new TestUi([changeOf({ id: 1, t: huge('a') }, { id: 1, t: huge('b') })], 80);
    other.press('enter');
    assert.match(other.screen, /first difference: …\[-x+a-\]/);
  });

  test('the detail shows every column, documents path by path', () => {
    const ui = shop();
    ui.press('enter');
    assert.match(ui.screen, /~ UPDATE orders 1/);
    assert.match(ui.screen, /~ doc +a\.b: 1 → 2/);
    assert.match(ui.screen, /status open/);
    assert.match(ui.screen, /note +NULL/);
    ui.press('c');
    assert.not.match(ui.screen, /status open/);
    ui.press('t');
    assert.match(ui.screen, /~ body +text /);
  });

  test('the stacked layout shows one change after the other', () => {
    const ui = shop();
    ui.press('s', 'j');
    assert.match(ui.screen, />\s+\+\s+2\n.*│ +id: 2\n.*│ +status: ''/);
  });

  test('the log shows statements with their parameters, and what a reviewer should know', () => {
    const ui = shop();
    ui.state = {
      ...ui.state,
      pane: 'log',
      mutationCount: 1,
      mutations: new Map([[0, mutation]]),
    };
    const facts = { columns: ['status'], noWhere: true, understood: true };
    ui.act({ type: 'facts', id: 'mut_7', facts });
    assert.match(ui.screen, /> ~ UPDATE orders +1,200 rows +! no WHERE +UPDATE orders SET/);
    assert.match(ui.screen, /! no WHERE clause: every row of the table/);
    assert.match(ui.screen, /writes status/);
    assert.match(ui.screen, /\$1 = paid/);
    assert.match(ui.screen, /\$3 = 9007199254740993/);
  });

  test('the conflicts show base, session and production side by side', () => {
    const ui = shop();
    const conflict: Conflict = {
      table: 'orders',
      rowId: new JsonText('1'),
      field: 'status',
      kind: 'changed',
      sessionBase: new JsonText('"open"'),
      sessionNew: new JsonText('"paid"'),
      productionCurrent: new JsonText('"void"'),
    };
    ui.act({ type: 'conflicts', conflicts: [conflict] });
    ui.press('tab', 'tab', 'tab');
    assert.match(ui.screen, /session saw +session stages +production has/);
    assert.match(ui.screen, /> orders 1 status +open +paid +void/);
    assert.match(ui.screen, /the row has changed in production/);
    ui.press('enter');
    assert.is(ui.state.pane, 'rows');
  });

  test('the help is searched by typing', () => {
    const ui = shop();
    ui.press('?');
    assert.match(ui.screen, /j, down +next row/);
    ui.press('a', 'p', 'p', 'l', 'y');
    assert.match(ui.screen, /A +approve it and apply it to production/);
    assert.not.match(ui.screen, /next row/);
    ui.press('escape');
    assert.is(ui.state.help, null);
  });

  test('a diff without changes says so', () => {
    assert.match(new TestUi([]).screen, /No changes\./);
  });
});

suite('tui: every size', (test) => {
  const panes = [
    [],
    ['tab'],
    ['tab', 'tab'],
    ['tab', 'tab', 'tab'],
    ['shift-tab'],
    ['+'],
    ['s'],
    ['A'],
  ];
  for (const [columns, rows] of [
    [80, 24],
    [200, 60],
    [60, 20],
    [59, 15],
    [30, 8],
    [12, 5],
    [3, 3],
  ] as const) {
    test(`fills ${columns}x${rows} exactly`, () => {
      for (const keys of panes) {
        const ui = shop(columns, rows);
        ui.press(...keys);
        const { lines } = ui;
        assert.is(lines.length, Math.max(rows, 5), keys.join());
        for (const line of lines) assert.is(lineWidth(line), columns, textOf(line));
      }
    });
  }

  test('a smaller screen keeps the chosen row in sight', () => {
    const changes = Array.from({ length: 100 }, (_, id) => changeOf(null, { id, v: `row ${id}` }));
    const ui = new TestUi(changes, 80, 40);
    ui.press('pagedown');
    ui.act({ type: 'resized', size: { columns: 50, rows: 10 } });
    assert.match(ui.screen, new RegExp(`> \\+ +${ui.state.row} │`));
  });
});

/** The characters that may reach a terminal: visible ones, combining marks, and the ordinary space. */
const harmless = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u;
const invisible = /\p{Default_Ignorable_Code_Point}|[\u2800\u115f\u1160\u3164\uffa0]/u;

const hostile = [
  '\x1b[8m',
  '\x1b]52;c;aGk=\x07',
  '\x1b[2J',
  '\u202e',
  '\u2066',
  '\u200b',
  '\r',
  '\t',
  '\n',
  '\x9b31m',
  'a',
  '日',
  '\u0301',
  '\u{e0041}',
  '\ud800',
  '-]{+',
  '👨‍👩‍👧',
];

suite('tui: hostile rows', (test) => {
  const random = createRandom(20_260_131);
  const text = () =>
    Array.from({ length: 1 + random.below(20) }, () =>
      random.chance(0.7) ? random.pick(hostile) : String.fromCodePoint(random.below(0x110000)),
    ).join('');

  test('can neither act nor hide, in names, values, statements, conflicts and errors', () => {
    for (let round = 0; round < 40; round += 1) {
      const name = text();
      const row = () => ({ id: text(), [name]: text(), doc: { [text()]: text() } });
      const table = text();
      const ui = new TestUi([changeOf(row(), row(), table), changeOf(null, row(), table)], 90, 24);
      ui.act({
        type: 'session',
        session: { ...session, status: 'active' },
        database: text(),
      });
      ui.act({ type: 'notice', text: text(), alarm: true });
      const statement = {
        ...mutation,
        query: text(),
        table: text(),
        params: new JsonText(JSON.stringify([text()])),
      };
      ui.state = { ...ui.state, mutationCount: 1, mutations: new Map([[0, statement]]) };
      const value = new JsonText(JSON.stringify(text()));
      const sides = { sessionBase: value, sessionNew: value, productionCurrent: value };
      ui.state = {
        ...ui.state,
        conflicts: [{ table: text(), rowId: value, field: text(), kind: 'changed', ...sides }],
      };
      ui.act({
        type: 'facts',
        id: 'mut_7',
        facts: { columns: [text()], noWhere: true, understood: true },
      });
      for (const key of ['s', 't', 'enter', 'tab', 'tab', 'tab', 'A', 'escape', '/']) {
        ui.press(key);
        checkScreen(ui);
      }
    }
    assert.ok(true);
  });

  test('a theme without red and green says the same', () => {
    const [standard, other] = [createTheme(true), createTheme(true, 'blue-orange')];
    const lines = shop().lines;
    const codes = lines
      .map(other)
      .join('')
      .split('\x1b[')
      .map((part) => part.split('m')[0]);
    assert.ok(codes.includes('94') && codes.includes('33'));
    assert.not.ok(codes.some((code) => /3[12]$/.test(code ?? '')));
    assert.equal(lines.map(other).map(uncoloured), lines.map(standard).map(uncoloured));
  });

  const coloured = createTheme(true);
  const uncoloured = (text: string) =>
    text
      .split('\x1b')
      .map((part, index) =>
        index === 0 ? part : part.replace(/^\[(?:[0127]|3[0-7]|94|1;3[13])m/, ''),
      )
      .join('');

  function checkScreen(ui: TestUi): void {
    for (const line of ui.lines) {
      const plain = textOf(line);
      if (!harmless.test(plain) || invisible.test(plain)) assert.unreachable(JSON.stringify(plain));
      if (lineWidth(line) !== 90)
        assert.unreachable(`${lineWidth(line)}: ${JSON.stringify(plain)}`);
      if (uncoloured(coloured(line)) !== plain) assert.unreachable('colours add text');
    }
  }
});
