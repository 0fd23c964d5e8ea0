/** The selected column, in the state of the review; no terminal is needed. */
import { assert, suite } from '../helpers/suite.ts';
import { changeOf, TestUi } from './screen.ts';

suite('tui: columns', (test) => {
  test('left and right go through the columns that are shown, and changed only keeps the selected one', () => {
    const row = { id: 0, a: 1, b: 1, c: 1, d: 1 };
    const more = Array.from({ length: 60 }, (_, id) => changeOf(row, { ...row, id, a: 2 }));
    const ui = new TestUi([changeOf(row, { ...row, b: 2, d: 2 }), ...more.slice(1)], 120);
    const [sorted, name] = [() => ui.state.prompt?.text, () => ui.state.column];
    ui.press('l', 'l', 'l', 'l', 'l');
    assert.is(name(), 'd');
    ui.press('c', 'h', 'h');
    assert.is(name(), 'a');
    ui.press('l', 'c', 'h', 'l', 'l');
    assert.is(name(), 'c');
    ui.press('c', 'S');
    assert.is(sorted(), 'a', 'c is not shown');
    ui.press('escape', 'l', 'l', 'S');
    assert.is(sorted(), 'd');
    ui.press('escape', 'G', 'S');
    assert.is(sorted(), 'a', 'd is changed by no row here');
    ui.press('escape', 'g', 'enter', 'S');
    assert.is(sorted(), 'd');
  });
});
