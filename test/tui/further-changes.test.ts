/**
 * Further changes, which no row of the diff shows, but which approval replays: the interface counts them, and says so before it approves.
 */
import { assert, suite } from '../helpers/suite.ts';
import { changeOf, Desk } from './screen.ts';

suite('tui: further changes', (test) => {
  test('are counted, and told before approval', () => {
    const desk = new Desk([changeOf(null, { id: 2, status: 'new' })], 120);
    assert.not.match(desk.screen, /further/);
    const { outline } = desk.daemon;
    const ledger = {
      table: 'ledger',
      key: ['id'],
      columns: [],
      chunks: [],
      triggers: [],
      furtherChanges: 1200,
    };
    const tables = [ledger, ...outline.tables];
    desk.act({ type: 'outline', outline: { revision: 'staged-4', tables } });
    assert.match(desk.screen, /^ stage diff sess_ab12ab12 PROPOSED {2}\+1 »1,200 further /);
    assert.match(desk.screen, /ledger.*\n {2}»1,200 /);
    desk.press('[');
    assert.match(desk.screen, /1200 further changes, net 0/);
    desk.press('A');
    assert.match(desk.screen, /1 inserted, 0 updated, 0 deleted, 1200 further changes in 2 tables/);
    assert.match(desk.screen, /ledger: 1200 further changes, net 0/);
    assert.match(desk.screen, /production's triggers run for them/);
  });
});
