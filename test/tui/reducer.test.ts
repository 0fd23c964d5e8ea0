/** The effects of keys and responses on the state; no terminal is needed. */
import { bindings, createKeymap } from '../../src/tui/keys.ts';
import { dataNeedsOf } from '../../src/tui/state/data-needs.ts';
import { reduce } from '../../src/tui/state/reducer.ts';
import { initialState, listLength, operationOf } from '../../src/tui/state/state.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';
import { changeOf, session, TestUi } from './screen.ts';

const orders = (count: number) =>
  Array.from({ length: count }, (_, id) => {
    const row = { id, status: 'open', note: `note ${id}` };
    if (id % 7 === 3) return changeOf(row, null);
    return id % 5 === 2 ? changeOf(null, row) : changeOf(row, { ...row, status: 'paid' });
  });

const shop = () =>
  new TestUi([
    ...orders(2000),
    changeOf({ id: 1, name: 'Ada' }, { id: 1, name: 'Ada L.' }, 'customers'),
    changeOf(null, { id: 2, name: 'Grace' }, 'customers'),
  ]);

/** Returns a loaded change that differs from the daemon's, or a visible one that is not loaded. */
function faultOf({ daemon, state }: TestUi): string | null {
  const list = daemon.list('orders', operationOf(state.filter));
  if (listLength(state) !== list.length) return `a list of ${listLength(state)}`;
  const wrong = [...state.changes].find(([index, { number }]) => number !== list[index]?.number);
  if (wrong) return `another change at ${wrong[0]}`;
  const visible = list.slice(state.top, state.top + 19);
  const missing = visible.findIndex((_, index) => !state.changes.has(state.top + index));
  return missing < 0 ? null : `no change at ${state.top + missing}`;
}

suite('tui: moving about', (test) => {
  test('keys move, and stop at the ends', () => {
    const ui = shop();
    ui.press('J', 'j', 'j', 'k');
    assert.equal([ui.state.table, ui.state.row], [1, 1]);
    ui.press('g', 'k');
    assert.is(ui.state.row, 0);
    ui.press('G', 'j');
    assert.is(ui.state.row, 1999);
    ui.press('pageup');
    assert.is(ui.state.row, 1999 - 19);
    ui.press('J', 'J', 'K', 'K', 'K');
    assert.is(ui.state.table, 0);
  });

  test('tab goes round the panes, enter goes in, escape comes out', () => {
    const ui = shop();
    ui.press('enter');
    assert.is(ui.state.pane, 'detail');
    ui.press('l');
    assert.equal([ui.state.pane, ui.state.row], ['detail', 1]);
    ui.press('escape', 'tab', 'tab', 'tab', 'tab', 'tab', 'tab', 'tab');
    assert.is(ui.state.pane, 'rows');
    ui.press('shift-tab', 'j', 'enter');
    assert.equal([ui.state.pane, ui.state.table], ['rows', 1]);
  });

  test('goes to a row by position, and to a table by the beginning of its name', () => {
    const ui = shop();
    ui.press(':');
    ui.type('ord');
    assert.is(ui.state.table, 1);
    ui.press(':');
    ui.type('1500');
    assert.is(ui.state.row, 1499);
    ui.press(':');
    ui.type('9999999999');
    assert.is(ui.state.row, 1999);
    ui.press(':');
    ui.type('nowhere');
    assert.match(ui.state.notice?.text ?? '', /no table nowhere/);
  });

  test('searches, goes from find to find, and round', () => {
    const ui = shop();
    ui.press('J', '/');
    ui.type('note 198');
    assert.is(ui.state.search?.found.length, 11);
    assert.is(ui.state.row, 198);
    ui.press('n');
    assert.is(ui.state.row, 1980);
    ui.press('N', 'N');
    assert.is(ui.state.row, 1989);
    ui.press('/');
    ui.type('no such thing');
    assert.match(ui.state.notice?.text ?? '', /No change has no such thing/);
  });

  test('a search counts with the filter', () => {
    const ui = shop();
    ui.press('J', '4', '/');
    ui.type('note 1991');
    const change = ui.state.changes.get(ui.state.row);
    assert.match(change?.before?.text ?? '', /note 1991/);
    assert.is(change?.type, 'DELETE');
  });

  test('marks as reviewed, by one and by range; a change that becomes another loses its mark', () => {
    const ui = shop();
    ui.press('J', 'space', 'space');
    assert.equal([ui.state.reviewed.size, ui.state.row], [2, 2]);
    ui.press('v', 'j', 'j', 'space');
    assert.is(ui.state.reviewed.size, 5);
    assert.match(ui.screen, /✓/);
    ui.press('k', 'space');
    assert.is(ui.state.reviewed.size, 4);
    const first = ui.state.changes.get(0);
    if (!first) return assert.unreachable();
    const changes = new Map([...ui.state.changes, [0, { ...first, after: null }]]);
    ui.state = { ...ui.state, changes, row: 10 };
    assert.is((ui.screen.match(/✓/g) ?? []).length, 3);
  });

  test('keys are the reviewer’s own where the configuration says so', () => {
    const ui = new TestUi(orders(20), 80, 24, { down: ['n', 'ctrl-n'], quit: ['Q'] });
    ui.press('n', 'ctrl-n', 'j');
    assert.is(ui.state.row, 2);
    assert.match(ui.screen, /Q quit · A approve · C changes · X reject · e rehearse · n\/k row/);
    ui.press('?');
    assert.match(ui.screen, /n, ctrl-n +next row/);
    ui.press('escape', 'q');
    assert.is(ui.state.effect, null);
    ui.press('ctrl-c');
    assert.is(ui.state.effect?.name, 'quit');
    assert.throws(() => createKeymap({ dwon: ['j'] }), /nothing is called dwon/);
    assert.throws(() => createKeymap({ down: ['j'], up: ['j'] }), /j is given twice/);
  });

  test('every key of the table is bound once, and every command does something', () => {
    const names = bindings.flatMap(({ keys }) => keys);
    assert.is(new Set(names).size, names.length);
    for (const name of names) shop().press(name);
  });
});

suite('tui: pages', (test) => {
  test('wherever a reader goes, what is shown is what the daemon has there', () => {
    const random = createRandom(23);
    const ui = shop();
    ui.press('J');
    const keys = ['j', 'k', 'pagedown', 'pageup', 'G', 'g', 'ctrl-d', 'f', 'end', '3', '1'];
    for (let step = 0; step < 300; step += 1) {
      if (random.chance(0.2)) {
        ui.press(':');
        ui.type(String(random.below(2100)));
      } else {
        ui.press(random.pick(keys));
      }
      const fault = faultOf(ui);
      if (fault !== null) assert.unreachable(`${fault} at step ${step}`);
    }
    assert.ok(true);
  });

  test('are few, and only those near the reader are kept', () => {
    const ui = new TestUi(orders(20_000));
    for (let step = 0; step < 400; step += 1) ui.press('pagedown');
    assert.ok(ui.state.changes.size <= 4001, String(ui.state.changes.size));
    assert.ok(ui.daemon.asked.length < 25, String(ui.daemon.asked.length));
  });

  test('of a diff that is no more are dropped', () => {
    const ui = shop();
    const need = ui.daemon.asked.find(({ kind }) => kind === 'page');
    if (need?.kind !== 'page') return assert.unreachable();
    const page = { revision: 'staged-2', changes: orders(3), nextCursor: null };
    const late = { ...need, revision: 'staged-2' };
    assert.is(reduce(ui.state, { type: 'page', need: late, page }), ui.state);
  });

  test('nothing is asked before there is an outline', () => {
    assert.equal(dataNeedsOf(initialState({ columns: 80, rows: 24 }, createKeymap())), []);
  });
});

suite('tui: news', (test) => {
  test('another outline leaves the reader where he was, and says so', () => {
    const ui = shop();
    ui.act({ type: 'session', session: { ...session, status: 'active' } });
    ui.press('J', ...Array.from({ length: 30 }, () => 'j'));
    const outline = { ...ui.daemon.outline, revision: 'staged-4' };
    ui.state = reduce(ui.state, { type: 'outline', outline });
    assert.equal([ui.state.table, ui.state.row, ui.state.changes.size], [1, 30, 0]);
    assert.match(ui.state.notice?.text ?? '', /session has changed/);
  });

  test('the same outline changes nothing', () => {
    const ui = shop();
    assert.is(reduce(ui.state, { type: 'outline', outline: ui.daemon.outline }), ui.state);
  });

  test('a table that is gone leads to the first', () => {
    const ui = shop();
    ui.press('J', 'G');
    const tables = ui.daemon.outline.tables.slice(0, 1);
    ui.state = reduce(ui.state, { type: 'outline', outline: { revision: 'x', tables } });
    assert.equal([ui.state.table, ui.state.row], [0, 0]);
  });

  test('conflicts raise a banner', () => {
    const ui = shop();
    const sides = { sessionBase: null, sessionNew: null, productionCurrent: null };
    const row = { table: 'orders', rowId: changeOf(null, { id: 7 }).rowId, field: 'status' };
    ui.act({ type: 'conflicts', conflicts: [{ ...row, kind: 'changed', ...sides }] });
    assert.match(ui.screen, /! 1 conflict with production/);
    ui.act({ type: 'conflicts', conflicts: [] });
    assert.not.match(ui.screen, /Production has changed/);
  });

  test('the decision of somebody else is told', () => {
    const ui = shop();
    ui.act({ type: 'session', session: { ...session, status: 'rejected' } });
    assert.match(ui.state.notice?.text ?? '', /rejected by now/);
  });
});

suite('tui: actions', (test) => {
  for (const [key, decision] of [
    ['P', 'propose'],
    ['A', 'approve'],
  ] as const) {
    test(`${decision} needs a typed confirmation`, () => {
      const ui = shop();
      ui.press(key);
      assert.match(ui.screen, /Type yes or ab12ab12 to go on/);
      ui.press('enter');
      assert.is(ui.state.deciding, null);
      assert.match(ui.screen, /Nothing was done/);
      ui.press(key);
      ui.type('y');
      assert.is(ui.state.deciding, null);
      ui.press(key, 'escape');
      assert.is(ui.state.deciding, null);
      ui.press(key);
      ui.type('ab12ab12');
      assert.equal(ui.state.deciding, { decision, reason: '' });
    });
  }

  test('there is none for a session that was decided on', () => {
    for (const status of ['approved', 'rejected'] as const) {
      const ui = shop();
      ui.act({ type: 'session', session: { ...session, status } });
      for (const key of ['P', 'A', 'X']) {
        ui.press(key);
        assert.is(ui.state.prompt, null);
        assert.match(ui.screen, `The session is ${status} already`);
      }
    }
  });

  test('reject takes a reason', () => {
    const ui = shop();
    ui.press('X');
    ui.type('yes');
    assert.is(ui.state.deciding, null);
    ui.type('too much');
    assert.equal(ui.state.deciding, { decision: 'reject', reason: 'too much' });
  });

  test('nothing is approved whose digest is not known', () => {
    const ui = shop();
    ui.press('A');
    ui.state = { ...ui.state, digest: { revision: 'staged-2', text: 'sha256:old' } };
    ui.state = reduce(ui.state, { type: 'key', name: 'y' });
    for (const name of ['e', 's', 'enter']) {
      ui.state = reduce(ui.state, { type: 'key', name });
    }
    assert.is(ui.state.deciding, null);
    assert.match(ui.state.notice?.text ?? '', /digest/);
  });

  test('the dialog names counts, database, digest and what is in the way', () => {
    const ui = shop();
    ui.press('space', 'A');
    assert.match(ui.screen, /production database shop\?/);
    assert.match(ui.screen, /\d+ inserted, \d+ updated, \d+ deleted in 2 tables/);
    assert.match(ui.screen, /digest sha256:(0f){32}/);
    assert.match(ui.screen, /1 of 2002 changes marked as reviewed/);
    ui.press('escape');
    ui.act({ type: 'session', session: { ...session, status: 'active' } });
    ui.press('A');
    assert.match(ui.screen, /still active: propose it first/);
  });

  test('what is typed into a prompt are no commands, and ctrl-c leaves it', () => {
    const ui = shop();
    ui.press('/', 'q', 'G', 'A', 'backspace', 'up', 'tab');
    assert.equal(ui.state.prompt, { kind: 'search', text: 'qG' });
    ui.press('ctrl-c');
    assert.equal([ui.state.prompt, ui.state.effect], [null, null]);
    ui.press('q');
    assert.equal(ui.state.effect, { name: 'quit' });
  });
});
