/** The effects of keys and responses on the state; no terminal is needed. */
import { bindings, createKeymap } from '../../src/tui/keys.ts';
import { needsOf } from '../../src/tui/state/needs.ts';
import { reduce } from '../../src/tui/state/reducer.ts';
import { initialState, listLength, operationOf } from '../../src/tui/state/state.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';
import { changeOf, Desk, session } from './screen.ts';

const orders = (count: number) =>
  Array.from({ length: count }, (_, id) => {
    const row = { id, status: 'open', note: `note ${id}` };
    if (id % 7 === 3) return changeOf(row, null);
    return id % 5 === 2 ? changeOf(null, row) : changeOf(row, { ...row, status: 'paid' });
  });

const shop = () =>
  new Desk([
    ...orders(2000),
    changeOf({ id: 1, name: 'Ada' }, { id: 1, name: 'Ada L.' }, 'customers'),
    changeOf(null, { id: 2, name: 'Grace' }, 'customers'),
  ]);

/** Returns a loaded change that differs from the daemon's, or a visible one that is not loaded. */
function faultOf({ daemon, state }: Desk): string | null {
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
    const desk = shop();
    desk.press('J', 'j', 'j', 'k');
    assert.equal([desk.state.table, desk.state.row], [1, 1]);
    desk.press('g', 'k');
    assert.is(desk.state.row, 0);
    desk.press('G', 'j');
    assert.is(desk.state.row, 1999);
    desk.press('pageup');
    assert.is(desk.state.row, 1999 - 19);
    desk.press('J', 'J', 'K', 'K', 'K');
    assert.is(desk.state.table, 0);
  });

  test('tab goes round the panes, enter goes in, escape comes out', () => {
    const desk = shop();
    desk.press('enter');
    assert.is(desk.state.pane, 'detail');
    desk.press('l');
    assert.equal([desk.state.pane, desk.state.row], ['detail', 1]);
    desk.press('escape', 'tab', 'tab', 'tab', 'tab', 'tab', 'tab', 'tab');
    assert.is(desk.state.pane, 'rows');
    desk.press('shift-tab', 'j', 'enter');
    assert.equal([desk.state.pane, desk.state.table], ['rows', 1]);
  });

  test('goes to a row by position, and to a table by the beginning of its name', () => {
    const desk = shop();
    desk.press(':');
    desk.type('ord');
    assert.is(desk.state.table, 1);
    desk.press(':');
    desk.type('1500');
    assert.is(desk.state.row, 1499);
    desk.press(':');
    desk.type('9999999999');
    assert.is(desk.state.row, 1999);
    desk.press(':');
    desk.type('nowhere');
    assert.match(desk.state.notice?.text ?? '', /no table nowhere/);
  });

  test('searches, goes from find to find, and round', () => {
    const desk = shop();
    desk.press('J', '/');
    desk.type('note 198');
    assert.is(desk.state.search?.found.length, 11);
    assert.is(desk.state.row, 198);
    desk.press('n');
    assert.is(desk.state.row, 1980);
    desk.press('N', 'N');
    assert.is(desk.state.row, 1989);
    desk.press('/');
    desk.type('no such thing');
    assert.match(desk.state.notice?.text ?? '', /No change has no such thing/);
  });

  test('a search counts with the filter', () => {
    const desk = shop();
    desk.press('J', '4', '/');
    desk.type('note 1991');
    const change = desk.state.changes.get(desk.state.row);
    assert.match(change?.before?.text ?? '', /note 1991/);
    assert.is(change?.type, 'DELETE');
  });

  test('marks as reviewed, by one and by range; a change that becomes another loses its mark', () => {
    const desk = shop();
    desk.press('J', 'space', 'space');
    assert.equal([desk.state.reviewed.size, desk.state.row], [2, 2]);
    desk.press('v', 'j', 'j', 'space');
    assert.is(desk.state.reviewed.size, 5);
    assert.match(desk.screen, /✓/);
    desk.press('k', 'space');
    assert.is(desk.state.reviewed.size, 4);
    const first = desk.state.changes.get(0);
    if (!first) return assert.unreachable();
    const changes = new Map([...desk.state.changes, [0, { ...first, after: null }]]);
    desk.state = { ...desk.state, changes, row: 10 };
    assert.is((desk.screen.match(/✓/g) ?? []).length, 3);
  });

  test('keys are the reviewer’s own where the configuration says so', () => {
    const desk = new Desk(orders(20), 80, 24, { down: ['n', 'ctrl-n'], quit: ['Q'] });
    desk.press('n', 'ctrl-n', 'j');
    assert.is(desk.state.row, 2);
    assert.match(desk.screen, /Q quit · A approve · C changes · X reject · e rehearse · n\/k row/);
    desk.press('?');
    assert.match(desk.screen, /n, ctrl-n +next row/);
    desk.press('escape', 'q');
    assert.is(desk.state.effect, null);
    desk.press('ctrl-c');
    assert.is(desk.state.effect?.name, 'quit');
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
    const desk = shop();
    desk.press('J');
    const keys = ['j', 'k', 'pagedown', 'pageup', 'G', 'g', 'ctrl-d', 'f', 'end', '3', '1'];
    for (let step = 0; step < 300; step += 1) {
      if (random.chance(0.2)) {
        desk.press(':');
        desk.type(String(random.below(2100)));
      } else {
        desk.press(random.pick(keys));
      }
      const fault = faultOf(desk);
      if (fault !== null) assert.unreachable(`${fault} at step ${step}`);
    }
    assert.ok(true);
  });

  test('are few, and only those near the reader are kept', () => {
    const desk = new Desk(orders(20_000));
    for (let step = 0; step < 400; step += 1) desk.press('pagedown');
    assert.ok(desk.state.changes.size <= 4001, String(desk.state.changes.size));
    assert.ok(desk.daemon.asked.length < 25, String(desk.daemon.asked.length));
  });

  test('of a diff that is no more are dropped', () => {
    const desk = shop();
    const need = desk.daemon.asked.find(({ kind }) => kind === 'page');
    if (need?.kind !== 'page') return assert.unreachable();
    const page = { revision: 'staged-2', changes: orders(3), nextCursor: null };
    const late = { ...need, revision: 'staged-2' };
    assert.is(reduce(desk.state, { type: 'page', need: late, page }), desk.state);
  });

  test('nothing is asked before there is an outline', () => {
    assert.equal(needsOf(initialState({ columns: 80, rows: 24 }, createKeymap())), []);
  });
});

suite('tui: news', (test) => {
  test('another outline leaves the reader where he was, and says so', () => {
    const desk = shop();
    desk.act({ type: 'session', session: { ...session, status: 'active' } });
    desk.press('J', ...Array.from({ length: 30 }, () => 'j'));
    const outline = { ...desk.daemon.outline, revision: 'staged-4' };
    desk.state = reduce(desk.state, { type: 'outline', outline });
    assert.equal([desk.state.table, desk.state.row, desk.state.changes.size], [1, 30, 0]);
    assert.match(desk.state.notice?.text ?? '', /session has changed/);
  });

  test('the same outline changes nothing', () => {
    const desk = shop();
    assert.is(reduce(desk.state, { type: 'outline', outline: desk.daemon.outline }), desk.state);
  });

  test('a table that is gone leads to the first', () => {
    const desk = shop();
    desk.press('J', 'G');
    const tables = desk.daemon.outline.tables.slice(0, 1);
    desk.state = reduce(desk.state, { type: 'outline', outline: { revision: 'x', tables } });
    assert.equal([desk.state.table, desk.state.row], [0, 0]);
  });

  test('conflicts raise a banner', () => {
    const desk = shop();
    const sides = { sessionBase: null, sessionNew: null, productionCurrent: null };
    const row = { table: 'orders', rowId: changeOf(null, { id: 7 }).rowId, field: 'status' };
    desk.act({ type: 'conflicts', conflicts: [{ ...row, kind: 'changed', ...sides }] });
    assert.match(desk.screen, /! 1 conflict with production/);
    desk.act({ type: 'conflicts', conflicts: [] });
    assert.not.match(desk.screen, /Production has changed/);
  });

  test('the decision of somebody else is told', () => {
    const desk = shop();
    desk.act({ type: 'session', session: { ...session, status: 'rejected' } });
    assert.match(desk.state.notice?.text ?? '', /rejected by now/);
  });
});

suite('tui: deeds', (test) => {
  for (const [key, deed] of [
    ['P', 'propose'],
    ['A', 'approve'],
  ] as const) {
    test(`${deed} needs a typed confirmation`, () => {
      const desk = shop();
      desk.press(key);
      assert.match(desk.screen, /Type yes or ab12ab12 to go on/);
      desk.press('enter');
      assert.is(desk.state.deed, null);
      assert.match(desk.screen, /Nothing was done/);
      desk.press(key);
      desk.type('y');
      assert.is(desk.state.deed, null);
      desk.press(key, 'escape');
      assert.is(desk.state.deed, null);
      desk.press(key);
      desk.type('ab12ab12');
      assert.equal(desk.state.deed, { deed, reason: '' });
    });
  }

  test('there is none for a session that was decided on', () => {
    for (const status of ['approved', 'rejected'] as const) {
      const desk = shop();
      desk.act({ type: 'session', session: { ...session, status } });
      for (const key of ['P', 'A', 'X']) {
        desk.press(key);
        assert.is(desk.state.prompt, null);
        assert.match(desk.screen, `The session is ${status} already`);
      }
    }
  });

  test('reject takes a reason', () => {
    const desk = shop();
    desk.press('X');
    desk.type('yes');
    assert.is(desk.state.deed, null);
    desk.type('too much');
    assert.equal(desk.state.deed, { deed: 'reject', reason: 'too much' });
  });

  test('nothing is approved whose digest is not known', () => {
    const desk = shop();
    desk.press('A');
    desk.state = { ...desk.state, digest: { revision: 'staged-2', text: 'sha256:old' } };
    desk.state = reduce(desk.state, { type: 'key', name: 'y' });
    for (const name of ['e', 's', 'enter']) {
      desk.state = reduce(desk.state, { type: 'key', name });
    }
    assert.is(desk.state.deed, null);
    assert.match(desk.state.notice?.text ?? '', /digest/);
  });

  test('the dialog names counts, database, digest and what is in the way', () => {
    const desk = shop();
    desk.press('space', 'A');
    assert.match(desk.screen, /production database shop\?/);
    assert.match(desk.screen, /\d+ inserted, \d+ updated, \d+ deleted in 2 tables/);
    assert.match(desk.screen, /digest sha256:(0f){32}/);
    assert.match(desk.screen, /1 of 2002 changes marked as reviewed/);
    desk.press('escape');
    desk.act({ type: 'session', session: { ...session, status: 'active' } });
    desk.press('A');
    assert.match(desk.screen, /still active: propose it first/);
  });

  test('what is typed into a prompt are no commands, and ctrl-c leaves it', () => {
    const desk = shop();
    desk.press('/', 'q', 'G', 'A', 'backspace', 'up', 'tab');
    assert.equal(desk.state.prompt, { kind: 'search', text: 'qG' });
    desk.press('ctrl-c');
    assert.equal([desk.state.prompt, desk.state.effect], [null, null]);
    desk.press('q');
    assert.equal(desk.state.effect, { name: 'quit' });
  });
});
