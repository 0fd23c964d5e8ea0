/** Rehearsal in the interface: its pane, the wait for it, and what the prompt before approval says of it. */
import type { RehearsalReport } from '../../src/client/rehearsal.ts';
import { JsonText } from '../../src/model/json.ts';
import { lineWidth, textOf } from '../../src/tui/terminal/line.ts';
import { assert, suite } from '../helpers/suite.ts';
import { changeOf, session, TestUi } from './screen.ts';

/** The digest of the tests' daemon. */
const digest = `sha256:${'0f'.repeat(32)}`;

const counts = (table: string, inserts: number, updates: number, deletes: number) => ({
  table,
  inserts,
  updates,
  deletes,
});

const ok: RehearsalReport = {
  ok: true,
  digest,
  conflicts: [],
  ignored: [],
  failure: null,
  wouldLand: [counts('orders', 0, 2, 0)],
  differs: [],
  differences: null,
  sideEffects: [
    {
      ...counts('price_log', 1, 0, 0),
      scanned: true,
      changes: [changeOf(null, { id: 41, note: 'a note that is so long that it goes on below' })],
    },
    { ...counts('touched', 0, 0, 1), scanned: true, changes: [changeOf({ id: 9 }, null)] },
  ],
  warnings: [],
};

const conflict = {
  table: 'orders',
  rowId: new JsonText('1'),
  field: 'note',
  kind: 'changed',
  sessionBase: new JsonText('"old"'),
  sessionNew: new JsonText('"new"'),
  productionCurrent: new JsonText('"theirs"'),
} as const;

const without = { ok: false, wouldLand: null, sideEffects: null };
const refused: RehearsalReport = {
  ...ok,
  ...without,
  failure: {
    sqlstate: '23514',
    message: 'new row violates check constraint "cheap"',
    detail: 'Failing row contains (1).',
    table: 'orders',
    constraint: 'cheap',
    row: new JsonText('1'),
  },
};

function uiOf(columns = 80, rows = 24): TestUi {
  const changes = [1, 2].map((id) => changeOf({ id, note: 'old' }, { id, note: 'new' }));
  return new TestUi(changes, columns, rows);
}

function rehearsed(report: RehearsalReport, columns = 80, rows = 24): TestUi {
  const ui = uiOf(columns, rows);
  ui.press('e');
  ui.act({ type: 'rehearsed', report });
  return ui;
}

suite('tui: effects', (test) => {
  test('say how to rehearse before anybody has', () => {
    const ui = uiOf();
    ui.press('shift-tab', 'shift-tab');
    assert.match(ui.screen, /\[Effects\][\s\S]*Not rehearsed yet; press e\./);
    ui.act({ type: 'session', session: { ...session, status: 'approved' } });
    assert.match(ui.screen, 'Not rehearsed. The session is approved already.');
  });

  test('e begins one, once, and shows where its outcome will be', () => {
    const ui = uiOf();
    ui.press('e');
    const { rehearsing } = ui.state;
    assert.ok(rehearsing);
    assert.match(ui.screen, /\[Effects\][\s\S]*Rehearsing the approval … escape waits no longer/);
    ui.press('shift-tab', 'e');
    assert.is(ui.state.rehearsing, rehearsing);
    ui.press('tab');
    assert.match(ui.screen, /^ Rehearsing the approval …$/m);
  });

  test('escape gives it up', () => {
    const ui = uiOf();
    ui.press('e', 'escape');
    assert.equal([ui.state.rehearsing, ui.state.pane], [null, 'rows']);
    assert.match(ui.screen, 'Not waited for any longer');
  });

  test('there is none of what was decided on', () => {
    for (const status of ['approved', 'rejected'] as const) {
      const ui = uiOf();
      ui.act({ type: 'session', session: { ...session, status } });
      ui.press('e');
      assert.is(ui.state.rehearsing, null);
      assert.match(ui.screen, `The session is ${status} already: there is nothing to rehearse.`);
    }
  });

  test('tell in the words of the command line what would land, and what else would change', () => {
    const { screen } = rehearsed(ok, 200, 50);
    assert.match(screen, / would land 2 rows: orders ~2/);
    assert.match(screen, / triggers would also change: price_log \+1, touched -1/);
    assert.match(
      screen,
      / {3}\+ price_log 41 {2}id 41 {2}note a note that is so long that it goes/,
    );
    assert.match(screen, / {3}- touched 9 {2}id 9/);
  });

  test('go on below on 80 columns, and lose nothing', () => {
    const { screen } = rehearsed(ok);
    const words = screen.replaceAll(/\s*\n[^│]*│\s*/g, ' ');
    assert.match(words, 'note a note that is so long that it goes on below');
  });

  test('tell what stands in the way', () => {
    const { screen } = rehearsed(refused, 120);
    assert.match(screen, 'production would refuse the changes: new row violates check');
    assert.match(screen, 'orders, row 1, constraint cheap, SQLSTATE 23514');
    const against = rehearsed({ ...ok, ...without, conflicts: [conflict] }, 120).screen;
    assert.match(against, 'nothing would land: 1 conflict with production');
    assert.match(against, 'orders 1 note: was old, staged new, in production theirs');
    const differs = [
      {
        table: 'orders',
        count: 1,
        rows: [
          {
            rowId: new JsonText('2'),
            staged: new JsonText('{"price":8}'),
            lands: new JsonText('{"price":8.01}'),
          },
        ],
      },
    ];
    const warned = rehearsed({ ...ok, differs, warnings: ['a sequence moved'] }, 120).screen;
    assert.match(warned, 'orders: 1 row would become other than staged');
    assert.match(warned, '! orders 2  price 8 → 8.01');
    assert.match(warned, 'warning: a sequence moved');
  });

  test('a refusal to rehearse is told, and what was known stays', () => {
    const ui = rehearsed(ok);
    ui.press('e');
    ui.act({ type: 'unrehearsed', text: 'this service rehearses nothing' });
    assert.is(ui.state.rehearsing, null);
    assert.match(ui.screen, / would land 2 rows[\s\S]*this service rehearses nothing/);
  });

  test('of another diff are told apart', () => {
    const ui = rehearsed({ ...ok, digest: 'sha256:00' });
    assert.match(ui.screen, '! This was another diff: e rehearses.');
    assert.not.match(rehearsed(ok).screen, 'another diff');
  });

  test('are scrolled, to their end and no further', () => {
    const changes = Array.from({ length: 60 }, (_, id) => changeOf(null, { id }));
    const many = { ...counts('log', 60, 0, 0), scanned: true, changes };
    const ui = rehearsed({ ...ok, sideEffects: [many] });
    assert.not.match(ui.screen, 'log 59');
    ui.press('G', 'j');
    assert.match(ui.screen, 'log 59');
    ui.press('g');
    assert.match(ui.screen, 'would land 2 rows');
  });

  test('hold what hostile rows say', () => {
    const hostile = '\x1b[8m\u202e\u200b\n';
    const change = changeOf({ id: hostile, [hostile]: hostile }, null, hostile);
    const effects = { ...counts(hostile, 0, 0, 1), scanned: true, changes: [change] };
    const failure = { ...refused.failure, message: hostile, detail: hostile, table: hostile };
    const reports: RehearsalReport[] = [
      { ...ok, sideEffects: [effects], warnings: [hostile] },
      { ...refused, failure: { ...refused.failure, ...failure } as RehearsalReport['failure'] },
      { ...ok, ...without, conflicts: [{ ...conflict, table: hostile, field: hostile }] },
    ];
    for (const report of reports) {
      const ui = rehearsed(report, 90);
      for (const key of ['j', 'A']) {
        for (const line of ui.lines) {
          assert.not.match(textOf(line), /\p{Cc}|\u202e|\u200b/u);
          assert.is(lineWidth(line), 90);
        }
        ui.press(key);
      }
    }
  });

  for (const [columns, rows] of [
    [80, 24],
    [200, 50],
    [30, 8],
    [3, 3],
  ] as const) {
    test(`fill ${columns}x${rows} exactly`, () => {
      for (const ui of [rehearsed(ok, columns, rows), rehearsed(refused, columns, rows)]) {
        assert.is(ui.lines.length, Math.max(rows, 5));
        for (const line of ui.lines) assert.is(lineWidth(line), columns, textOf(line));
      }
    });
  }
});

suite('tui: the question before approval', (test) => {
  const asked = (ui: TestUi) => {
    ui.press('A');
    return ui.screen;
  };

  test('has the outcome of the rehearsal of this diff', () => {
    const line = '  rehearsed: would land 2 rows; triggers change 2 rows in 2 tables';
    for (const [columns, rows] of [
      [80, 24],
      [200, 50],
    ] as const) {
      assert.ok(
        asked(rehearsed(ok, columns, rows))
          .split('\n')
          .includes(line),
      );
    }
    assert.match(
      asked(rehearsed(refused, 200)),
      '! rehearsal failed: new row violates check constraint "cheap" (orders, row 1, constraint cheap, SQLSTATE 23514)',
    );
    const conflicts = [conflict, conflict];
    assert.match(
      asked(rehearsed({ ...ok, ...without, conflicts })),
      '! rehearsal failed: 2 conflicts with production',
    );
  });

  test('names what is not known, or may speak against it', () => {
    const [effects] = ok.sideEffects ?? [];
    if (effects === undefined) return assert.unreachable();
    const uncounted = [{ ...effects, inserts: null, updates: null, deletes: null }];
    assert.match(asked(rehearsed({ ...ok, sideEffects: uncounted })), 'change rows in 1 table');
    assert.match(asked(rehearsed({ ...ok, sideEffects: null })), 'not known what triggers change');
    const differs = [{ table: 'orders', count: 1, rows: [] }];
    const { screen } = (() => {
      const ui = rehearsed({ ...ok, sideEffects: [], differs, warnings: ['one', 'two'] }, 120);
      ui.press('A');
      return ui;
    })();
    assert.match(screen, 'would land 2 rows; 1 row other than staged; 2 warnings');
  });

  test('says so where there is none, or one of another diff', () => {
    assert.match(asked(uiOf()), /^ {2}not rehearsed$/m);
    const ui = rehearsed(ok);
    ui.act({ type: 'session', session: { ...session, round: 2 } });
    ui.state = { ...ui.state, digest: { revision: 'staged-3 2', text: 'sha256:of round 2' } };
    assert.match(asked(ui), /^ {2}not rehearsed$/m);
  });

  test('leaves open what it does not know yet', () => {
    const ui = rehearsed(ok);
    ui.press('A');
    ui.state = { ...ui.state, digest: null };
    assert.match(ui.screen, 'digest is being computed');
    assert.not.match(ui.screen, /rehearsed/);
  });
});
