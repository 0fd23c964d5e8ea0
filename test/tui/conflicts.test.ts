/** Conflicts of ignored columns, and of rows that the session deletes. */
import type { Conflict } from '../../src/model/conflict.ts';
import { JsonText } from '../../src/model/json.ts';
import { assert, suite } from '../helpers/suite.ts';
import { changeOf, TestUi } from './screen.ts';

const conflict: Conflict = {
  table: 'orders',
  rowId: new JsonText('1'),
  field: 'status',
  kind: 'changed',
  sessionBase: new JsonText('"open"'),
  sessionNew: new JsonText('"paid"'),
  productionCurrent: new JsonText('"void"'),
};

function shown(conflicts: readonly Conflict[]): string {
  const ui = new TestUi([changeOf({ id: 1 }, null)], 120);
  ui.act({ type: 'conflicts', conflicts });
  ui.press('tab', 'tab', 'tab');
  return ui.screen;
}

suite('tui: conflicts', (test) => {
  test('columns that do not count are told below, and are no conflicts', () => {
    const ignored = { ...conflict, field: 'seen', ignored: true } as const;
    assert.match(shown([conflict, ignored]), /1 ignored: columns that do not count/);
    const alone = shown([ignored]);
    assert.match(alone, /Conflicts 0/);
    assert.match(alone, /orders 1 seen: ignored: its column does not count; was open,/);
  });

  test('a row that the session deletes has no new value', () => {
    const screen = shown([{ ...conflict, sessionNew: null, sessionDeletes: true }]);
    assert.match(screen, /> orders 1 status +open +\(row deleted\) +void/);
    assert.match(screen, /session stages +\(row deleted\)/);
  });
});
