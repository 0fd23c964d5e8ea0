/** The panes of an author whose token may not see what changed. */
import type { Mutation, TableOutline } from '../../src/model/change.ts';
import { JsonText } from '../../src/model/json.ts';
import { assert, suite } from '../helpers/suite.ts';
import { changeOf, TestUi } from './screen.ts';

const mutation: Mutation = {
  id: 'mut_7',
  type: 'UPDATE',
  table: 'orders',
  query: null,
  params: null,
  affectedRows: 1200,
  statement: null,
  executedAt: '2026-01-31T12:00:00.000000Z',
  role: 'app',
  login: null,
  hidden: true,
};

const hiddenOf = (table: TableOutline): TableOutline => ({ ...table, hidden: true });

suite('tui: hidden tables', (test) => {
  test('every pane says so, and nothing of theirs is asked for', () => {
    const ui = new TestUi(
      [changeOf({ id: 1 }, null), changeOf(null, { id: 2 }, 'public_ones')],
      120,
    );
    const { revision, tables } = ui.daemon.outline;
    const outline = {
      revision: `${revision}+`,
      tables: tables.map((each) => (each.table === 'orders' ? hiddenOf(each) : each)),
    };
    ui.daemon.asked.length = 0;
    ui.act({ type: 'outline', outline });
    const { rowId, ...sides } = {
      rowId: new JsonText('null'),
      sessionBase: null,
      sessionNew: null,
    };
    ui.act({
      type: 'conflicts',
      conflicts: [
        {
          table: 'orders',
          rowId,
          field: null,
          kind: 'gone',
          ...sides,
          productionCurrent: null,
          hidden: true,
        },
      ],
    });
    assert.match(ui.screen, /orders\s.*\n.*-1 hidden/);
    assert.match(
      ui.screen,
      / 1 change hidden: your token's database roles may not read this table/,
    );
    assert.not.ok(ui.daemon.asked.some((need) => need.kind === 'page' && need.table === 'orders'));
    ui.press('tab', 'tab', 'tab');
    assert.match(ui.screen, /> orders \(hidden\)/);
    assert.match(ui.screen, /hidden: your token's database roles/);
    ui.state = {
      ...ui.state,
      pane: 'log',
      mutationCount: 1,
      mutations: new Map([[0, mutation]]),
    };
    assert.is(ui.screen.match(/hidden: your token's database roles/g)?.length, 2);
    assert.match(ui.screen, /1,200 rows {2}by app/);
  });
});
