/** The brief above the rows: its place, its keys, and the diff that it describes. */
import type { Brief } from '../../src/model/brief.ts';
import { JsonText } from '../../src/model/json.ts';
import { reduce } from '../../src/tui/state/reducer.ts';
import { lineWidth, textOf } from '../../src/tui/terminal/line.ts';
import { assert, suite } from '../helpers/suite.ts';
import { changeOf, session, TestUi } from './screen.ts';

const report = {
  ...{ digest: `sha256:${'0f'.repeat(32)}`, conflicts: [], ignored: [], failure: null },
  ...{ wouldLand: [], differs: [], differences: null, sideEffects: [], warnings: [] },
};

const changes = Array.from({ length: 40 }, (_, id) =>
  changeOf({ id, note: 'old' }, { id, note: `new ${id}` }),
);
const constant = (column: string) =>
  new JsonText(JSON.stringify({ kind: 'constant', column, rows: 40, value: 'closed' }));

function briefOf(columns: readonly string[]): Omit<Brief, 'revision'> {
  const counts = { inserts: 0, updates: 40, deletes: 0, furtherChanges: 0, sampled: null };
  return {
    tables: [{ table: 'orders', ...counts, facts: columns.map(constant) }],
    flags: [{ code: 'share_of_table', table: 'orders', column: null, count: 40 }],
    overlaps: [],
  };
}

function uiOf(columns: readonly string[], width = 80, height = 24): TestUi {
  const ui = new TestUi(changes, width, height);
  ui.daemon.brief = briefOf(columns);
  ui.act({ type: 'brief', brief: { ...ui.daemon.brief, revision: ui.daemon.revision } });
  return ui;
}

const many = Array.from({ length: 30 }, (_, index) => `column_${index}`);
const lineWith = (ui: TestUi, text: string) =>
  ui.screen.split('\n').findIndex((line) => line.includes(text));

suite('tui: brief', (test) => {
  test('stands above the rows, what is unusual first', () => {
    const ui = uiOf(['note']);
    assert.equal(ui.screen.split('\n').slice(2, 5), [
      ' ! 40 % of the rows of orders',
      '   orders note: all 40 changed to closed',
      '─'.repeat(80),
    ]);
    assert.match(ui.screen, 'old → new 0');
    assert.is(lineWith(ui, ' note'), 5 - 2);
  });

  test('is folded away by a key, and comes back', () => {
    const ui = uiOf(['note']);
    ui.press('B');
    assert.not.match(ui.screen, 'of the rows of');
    ui.press('B');
    assert.match(ui.screen, 'of the rows of');
  });

  test('a long one is cut, then whole, then folded away', () => {
    const ui = uiOf(many);
    assert.match(ui.screen, / column_2: [\s\S]*── 27 more lines: B ─/);
    assert.not.match(ui.screen, 'column_3:');
    ui.press('B');
    assert.match(ui.screen, / column_15: [\s\S]*── 14 more lines: `stage diff --brief` ─/);
    ui.press('B');
    assert.not.match(ui.screen, 'column_0:');
    ui.press('B');
    assert.match(ui.screen, '── 27 more lines: B ─');
  });

  test('leaves the selected row on the screen, whenever it comes and goes', () => {
    const ui = uiOf(many);
    const shown = () => assert.match(ui.screen, `new ${ui.state.row}`);
    ui.press('B', 'B', ...Array<string>(17).fill('j'));
    for (const key of ['B', 'B', '+', '+', 'G', 'B', 'ctrl-u', 'enter', 'l', 'escape', 'B']) {
      ui.press(key);
      shown();
    }
    ui.act({ type: 'outline', outline: { ...ui.daemon.outline, revision: 'staged-4' } });
    ui.act({ type: 'brief', brief: { ...briefOf(many), revision: 'staged-4' } });
    shown();
  });

  test('is that of the diff that is shown', () => {
    const ui = uiOf(['note']);
    const other = { ...briefOf(['other']), revision: 'staged-2' };
    ui.state = reduce(ui.state, { type: 'brief', brief: other });
    assert.not.match(ui.screen, 'all 40 changed');
  });

  test('is read behind the rows, and not while it is folded away', () => {
    const ui = new TestUi(changes);
    const kinds = ui.daemon.asked.map(({ kind }) => kind);
    assert.ok(kinds.indexOf('brief') > kinds.indexOf('page'), kinds.join());
    ui.press('B');
    ui.daemon.asked.length = 0;
    ui.act({ type: 'outline', outline: { ...ui.daemon.outline, revision: 'staged-4' } });
    assert.not.ok(ui.daemon.asked.some(({ kind }) => kind === 'brief'));
  });

  test('is read again for another round, and once a rehearsal has succeeded', () => {
    const ui = uiOf(['note']);
    const askedFor = (act: () => void) => {
      ui.daemon.asked.length = 0;
      act();
      return ui.daemon.asked.filter(({ kind }) => kind === 'brief').length;
    };
    const rehearsed = (ok: boolean) => () =>
      ui.act({ type: 'rehearsed', report: { ...report, ok } });
    const inRound = (round: number) => () =>
      ui.act({ type: 'session', session: { ...session, round } });
    assert.is(askedFor(inRound(1)), 0);
    assert.is(askedFor(inRound(2)), 1);
    assert.is(askedFor(rehearsed(false)), 0);
    assert.is(askedFor(rehearsed(true)), 1);
    assert.is(askedFor(rehearsed(true)), 0);
    assert.match(ui.screen, 'of the rows of');
  });

  test('stands beside no dialog and no other pane', () => {
    const ui = uiOf(['note']);
    for (const keys of [['A'], ['escape', '?'], ['escape', 'enter'], ['tab'], ['tab']]) {
      ui.press(...keys);
      assert.not.match(ui.screen, 'all 40 changed');
    }
    ui.press('B');
    assert.is(ui.state.pane, 'rows');
  });

  test('a small terminal shows it by the key alone', () => {
    const ui = uiOf(['note'], 80, 12);
    assert.not.match(ui.screen, 'of the rows of');
    ui.press('B');
    assert.match(ui.screen, 'of the rows of');
    assert.match(ui.screen, 'new 0');
  });

  for (const [columns, rows] of [
    [80, 24],
    [200, 50],
    [40, 20],
    [30, 8],
    [3, 3],
  ] as const) {
    test(`fills ${columns}x${rows} exactly, with hostile names, too`, () => {
      const ui = uiOf([...many, '\x1b[8m\u202e\u200b\n'], columns, rows);
      for (const key of ['j', 'B', 'B', 'B', '+']) {
        ui.press(key);
        assert.is(ui.lines.length, Math.max(rows, 5));
        for (const line of ui.lines) {
          assert.not.match(textOf(line), /\p{Cc}|\u202e|\u200b/u);
          assert.is(lineWidth(line), columns, textOf(line));
        }
      }
    });
  }
});
