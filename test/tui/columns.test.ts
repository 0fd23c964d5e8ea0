/** The selected column, in the state of the review; no terminal is needed. */
import { assert, suite } from '../helpers/suite.ts';
import { changeOf, Desk } from './screen.ts';

suite('tui: columns', (test) => {
  test('left and right go through the columns that are shown, and changed only keeps the selected one', () => {
    const row = { id: 0, a: 1, b: 1, c: 1, d: 1 };
    const more = Array.from({ length: 60 }, (_, id) => changeOf(row, { ...row, id, a: 2 }));
    const desk = new Desk([changeOf(row, { ...row, b: 2, d: 2 }), ...more.slice(1)], 120);
    const [sorted, name] = [() => desk.state.prompt?.text, () => desk.state.column];
    desk.press('l', 'l', 'l', 'l', 'l');
    assert.is(name(), 'd');
    desk.press('c', 'h', 'h');
    assert.is(name(), 'a');
    desk.press('l', 'c', 'h', 'l', 'l');
    assert.is(name(), 'c');
    desk.press('c', 'S');
    assert.is(sorted(), 'a', 'c is not shown');
    desk.press('escape', 'l', 'l', 'S');
    assert.is(sorted(), 'd');
    desk.press('escape', 'G', 'S');
    assert.is(sorted(), 'a', 'd is changed by no row here');
    desk.press('escape', 'g', 'enter', 'S');
    assert.is(sorted(), 'd');
  });
});
