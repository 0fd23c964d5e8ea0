/**
 * Further changes, which no row of the diff shows, but which approval replays: the interface counts them, and says so before it approves.
 */
import { assert, suite } from '../helpers/suite.ts';
import { changeOf, TestUi } from './screen.ts';

suite('tui: further changes', (test) => {
  test('are counted, and told before approval', () => {
    const ui = new TestUi([changeOf(null, { id: 2, status: 'new' })], 120);
    assert.not.match(ui.screen, /further/);
    const { outline } = ui.daemon;
    const ledger = {
      table: 'ledger',
      key: ['id'],
      columns: [],
      chunks: [],
      triggers: [],
      furtherChanges: 1200,
    };
    const tables = [ledger, ...outline.tables];
    ui.act({ type: 'outline', outline: { revision: 'staged-4', tables } });
    assert.match(ui.screen, /^ stage diff sess_ab12ab12 PROPOSED {2}\+1 »1,200 further /);
    assert.match(ui.screen, /ledger.*\n {2}»1,200 /);
    ui.press('[');
    assert.match(ui.screen, /1200 further changes, net 0/);
    ui.press('A');
    assert.match(ui.screen, /1 inserted, 0 updated, 0 deleted, 1200 further changes in 2 tables/);
    assert.match(ui.screen, /ledger: 1200 further changes, net 0/);
    assert.match(ui.screen, /production's triggers run for them/);
  });
});
