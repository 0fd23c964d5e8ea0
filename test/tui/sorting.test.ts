/** Rows sorted by a column, in the state of the review; no terminal is needed. */
import { assert, suite } from '../helpers/suite.ts';
import { changeOf, Desk } from './screen.ts';

const orders = Array.from({ length: 2000 }, (_, id) => {
  const row = { id, status: 'open', note: `note ${id}` };
  return id % 5 === 2 ? changeOf(null, row) : changeOf(row, { ...row, status: 'paid' });
});

suite('tui: sorting', (test) => {
  test('sorts by the column that is typed, any page of it, and a search ends that', () => {
    const desk = new Desk(orders, 120);
    desk.press('2', 'S');
    assert.is(desk.state.prompt?.text, 'status');
    for (const _ of 'status') desk.press('backspace');
    desk.type('-id');
    assert.match(desk.screen, /id↓/);
    assert.match(desk.screen, /INSERT only by id↓/);
    const rows = [0, 1, 250].map((row) => {
      desk.press(':');
      desk.type(String(row + 1));
      return desk.state.changes.get(row)?.number;
    });
    const downwards = desk.daemon.list('orders', 'INSERT').reverse();
    assert.equal(
      rows,
      [0, 1, 250].map((row) => downwards[row]?.number),
    );
    desk.press('S');
    assert.is(desk.state.prompt?.text, 'status');
    desk.press('escape', '/');
    desk.type('note 12');
    assert.is(desk.state.sort, null);
    assert.match(desk.state.changes.get(desk.state.row)?.after?.text ?? '', /note 12"/);
    desk.press('S');
    for (const _ of 'status') desk.press('backspace');
    desk.type('stats');
    assert.match(
      desk.state.notice?.text ?? '',
      /no column stats in this table. Did you mean status/,
    );
    desk.press('S');
    desk.type('');
    assert.equal(desk.state.sort, { column: 'status', descending: false });
    desk.press('S');
    assert.is(desk.state.prompt?.text, '-status');
    desk.press('escape', 'S', 'backspace');
    for (const _ of 'status') desk.press('backspace');
    desk.type('');
    assert.is(desk.state.sort, null);
  });

  test('a list that is too long is not sorted, and one that becomes too long comes as it is', () => {
    const desk = new Desk(
      Array.from({ length: 10_001 }, (_, id) =>
        changeOf({ id, a: 1 }, id === 3 ? null : { id, a: 2 }),
      ),
      120,
    );
    desk.press('S');
    assert.match(desk.state.notice?.text ?? '', /At most 10,000 rows are sorted/);
    desk.press('3', 'S');
    desk.type('');
    assert.match(desk.screen, /by a↑/);
    desk.press('1');
    assert.not.match(desk.screen, /by a↑/);
    const { changes } = desk.daemon;
    assert.ok([...desk.state.changes].every(([at, { number }]) => number === changes[at]?.number));
  });
});
