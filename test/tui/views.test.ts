/** The contents of the screen, in every pane and on terminals of every size; no row can control the terminal. */
import type { Conflict, Mutation } from '../../src/model/change.ts';
import { JsonText } from '../../src/model/json.ts';
import { lineWidth, textOf } from '../../src/tui/terminal/line.ts';
import { createTheme } from '../../src/tui/terminal/theme.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { Row } from './screen.ts';
import { changeOf, Desk, session } from './screen.ts';

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
  new Desk(
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
    const desk = shop(60);
    desk.press('l', 'l', 'l');
    assert.match(desk.screen, /id ‹/);
    assert.match(desk.screen, /note/);
    assert.match(desk.screen, /> ~ {4}1 │/);
    assert.match(desk.screen, /'NULL'/);
  });

  test('a difference far inside of a long text is on the screen', () => {
    const long = (middle: string) => `${'same '.repeat(5000)}${middle}${' end'.repeat(5000)}`;
    const desk = new Desk([changeOf({ id: 1, t: long('old') }, { id: 1, t: long('new') })], 80);
    assert.match(desk.screen, /\[-old-\]\{\+new\+\}/);
    desk.press('enter');
    assert.match(desk.screen, /first difference.*\[-old-\]\{\+new\+\}|\[-old-\]\{\+new\+\}/);
    const huge = (end: string) => `${'x'.repeat(100_000)}${end}`;
    const other = new Desk([changeOf({ id: 1, t: huge('a') }, { id: 1, t: huge('b') })], 80);
    other.press('enter');
    assert.match(other.screen, /first difference: …\[-x+a-\]/);
  });

  test('the detail shows every column, documents path by path', () => {
    const desk = shop();
    desk.press('enter');
    assert.match(desk.screen, /~ UPDATE orders 1/);
    assert.match(desk.screen, /~ doc +a\.b: 1 → 2/);
    assert.match(desk.screen, /status open/);
    assert.match(desk.screen, /note +NULL/);
    desk.press('c');
    assert.not.match(desk.screen, /status open/);
    desk.press('t');
    assert.match(desk.screen, /~ body +text /);
  });

  test('the stacked layout shows one change after the other', () => {
    const desk = shop();
    desk.press('s', 'j');
    assert.match(desk.screen, />\s+\+\s+2\n.*│ +id: 2\n.*│ +status: ''/);
  });

  test('the log shows statements with their parameters, and what a reviewer should know', () => {
    const desk = shop();
    desk.state = {
      ...desk.state,
      pane: 'log',
      mutationCount: 1,
      mutations: new Map([[0, mutation]]),
    };
    const aids = { columns: ['status'], noWhere: true, understood: true };
    desk.act({ type: 'aids', id: 'mut_7', aids });
    assert.match(desk.screen, /> ~ UPDATE orders +1,200 rows +! no WHERE +UPDATE orders SET/);
    assert.match(desk.screen, /! no WHERE clause: every row of the table/);
    assert.match(desk.screen, /writes status/);
    assert.match(desk.screen, /\$1 = paid/);
    assert.match(desk.screen, /\$3 = 9007199254740993/);
  });

  test('the conflicts show base, session and production side by side', () => {
    const desk = shop();
    const conflict: Conflict = {
      table: 'orders',
      rowId: new JsonText('1'),
      field: 'status',
      kind: 'changed',
      sessionBase: new JsonText('"open"'),
      sessionNew: new JsonText('"paid"'),
      productionCurrent: new JsonText('"void"'),
    };
    desk.act({ type: 'conflicts', conflicts: [conflict] });
    desk.press('tab', 'tab', 'tab');
    assert.match(desk.screen, /session saw +session stages +production has/);
    assert.match(desk.screen, /> orders 1 status +open +paid +void/);
    assert.match(desk.screen, /the row has changed in production/);
    desk.press('enter');
    assert.is(desk.state.pane, 'rows');
  });

  test('the help is searched by typing', () => {
    const desk = shop();
    desk.press('?');
    assert.match(desk.screen, /j, down +next row/);
    desk.press('a', 'p', 'p', 'l', 'y');
    assert.match(desk.screen, /A +approve it and apply it to production/);
    assert.not.match(desk.screen, /next row/);
    desk.press('escape');
    assert.is(desk.state.help, null);
  });

  test('a diff without changes says so', () => {
    assert.match(new Desk([]).screen, /No changes\./);
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
        const desk = shop(columns, rows);
        desk.press(...keys);
        const { lines } = desk;
        assert.is(lines.length, Math.max(rows, 5), keys.join());
        for (const line of lines) assert.is(lineWidth(line), columns, textOf(line));
      }
    });
  }

  test('a smaller screen keeps the chosen row in sight', () => {
    const changes = Array.from({ length: 100 }, (_, id) => changeOf(null, { id, v: `row ${id}` }));
    const desk = new Desk(changes, 80, 40);
    desk.press('pagedown');
    desk.act({ type: 'resized', size: { columns: 50, rows: 10 } });
    assert.match(desk.screen, new RegExp(`> \\+ +${desk.state.row} │`));
  });
});

/** What may reach a terminal: visible characters, combining marks, and the ordinary space. */
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
      const desk = new Desk([changeOf(row(), row(), table), changeOf(null, row(), table)], 90, 24);
      desk.act({
        type: 'session',
        session: { ...session, status: 'active' },
        database: text(),
      });
      desk.act({ type: 'notice', text: text(), alarm: true });
      const statement = {
        ...mutation,
        query: text(),
        table: text(),
        params: new JsonText(JSON.stringify([text()])),
      };
      desk.state = { ...desk.state, mutationCount: 1, mutations: new Map([[0, statement]]) };
      const value = new JsonText(JSON.stringify(text()));
      const sides = { sessionBase: value, sessionNew: value, productionCurrent: value };
      desk.state = {
        ...desk.state,
        conflicts: [{ table: text(), rowId: value, field: text(), kind: 'changed', ...sides }],
      };
      desk.act({
        type: 'aids',
        id: 'mut_7',
        aids: { columns: [text()], noWhere: true, understood: true },
      });
      for (const key of ['s', 't', 'enter', 'tab', 'tab', 'tab', 'A', 'escape', '/']) {
        desk.press(key);
        checkScreen(desk);
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

  function checkScreen(desk: Desk): void {
    for (const line of desk.lines) {
      const plain = textOf(line);
      if (!harmless.test(plain) || invisible.test(plain)) assert.unreachable(JSON.stringify(plain));
      if (lineWidth(line) !== 90)
        assert.unreachable(`${lineWidth(line)}: ${JSON.stringify(plain)}`);
      if (uncoloured(coloured(line)) !== plain) assert.unreachable('colours add text');
    }
  }
});
