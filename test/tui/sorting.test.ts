/** Rows sorted by a column, in the state of the review; no terminal is needed. */
import { assert, suite } from '../helpers/suite.ts';
import { changeOf, TestUi } from './screen.ts';

const orders = Array.from({ length: 2000 }, (_, id) => {
  const row = { id, status: 'open', note: `note ${id}` };
  return id % 5 === 2 ? changeOf(null, row) : changeOf(row, { ...row, status: 'paid' });
});

suite('tui: sorting', (test) => {
  test('sorts by the column that is typed, any page of it, and a search ends that', () => {
    const ui = new TestUi(orders, 120);
    ui.press('2', 'S');
    assert.is(ui.state.prompt?.text, 'status');
    for (const _ of 'status') ui.press('backspace');
    ui.type('-id');
    assert.match(ui.screen, /id↓/);
    assert.match(ui.screen, /INSERT only by id↓/);
    const rows = [0, 1, 250].map((row) => {
      ui.press(':');
      ui.type(String(row + 1));
      return ui.state.changes.get(row)?.number;
    });
    const downwards = ui.daemon.list('orders', 'INSERT').reverse();
    assert.equal(
      rows,
      [0, 1, 250].map((row) => downwards[row]?.number),
    );
    ui.press('S');
    assert.is(ui.state.prompt?.text, 'status');
    ui.press('escape', '/');
    ui.type('note 12');
    assert.is(ui.state.sort, null);
    assert.match(ui.state.changes.get(ui.state.row)?.after?.text ?? '', /note 12"/);
    ui.press('S');
    for (const _ of 'status') ui.press('backspace');
    ui.type('stats');
    assert.match(ui.state.notice?.text ?? '', /no column stats in this table. Did you mean status/);
    ui.press('S');
    ui.type('');
    assert.equal(ui.state.sort, { column: 'status', descending: false });
    ui.press('S');
    assert.is(ui.state.prompt?.text, '-status');
    ui.press('escape', 'S', 'backspace');
    for (const _ of 'status') ui.press('backspace');
    ui.type('');
    assert.is(ui.state.sort, null);
  });

  test('a list that is too long is not sorted, and one that becomes too long comes as it is', () => {
    const ui = new TestUi(
      Array.from({ length: 10_001 }, (_, id) =>
        changeOf({ id, a: 1 }, id === 3 ? null : { id, a: 2 }),
      ),
      120,
    );
    ui.press('S');
    assert.match(ui.state.notice?.text ?? '', /At most 10,000 rows are sorted/);
    ui.press('3', 'S');
    ui.type('');
    assert.match(ui.screen, /by a↑/);
    ui.press('1');
    assert.not.match(ui.screen, /by a↑/);
    const { changes } = ui.daemon;
    assert.ok([...ui.state.changes].every(([at, { number }]) => number === changes[at]?.number));
  });
});
