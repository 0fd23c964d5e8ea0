/** Conflicts that are resolved, rows that are unstaged, approvals that are reverted: keys, prompts, and messages. */
import { readFileSync } from 'node:fs';
import type { Conflict } from '../../src/model/conflict.ts';
import { JsonText } from '../../src/model/json.ts';
import type { SessionStatus } from '../../src/model/session.ts';
import { createKeymap } from '../../src/tui/keys.ts';
import { assert, suite } from '../helpers/suite.ts';
import { changeOf, session, TestUi } from './screen.ts';

const sizes = [
  [80, 24],
  [200, 50],
] as const;

function uiOf(status: SessionStatus, columns = 80, rows = 24, keys = {}): TestUi {
  const changes = [1, 2, 3].map((id) => changeOf({ id, note: 'old' }, { id, note: 'new' }));
  const ui = new TestUi(changes, columns, rows, keys);
  ui.act({ type: 'session', session: { ...session, status } });
  ui.state = { ...ui.state, notice: null };
  return ui;
}

const conflictOf = (id: number): Conflict => ({
  table: 'orders',
  rowId: new JsonText(String(id)),
  field: 'note',
  kind: 'changed',
  sessionBase: new JsonText('"old"'),
  sessionNew: new JsonText('"new"'),
  productionCurrent: new JsonText('"theirs"'),
});

function inConflict(status: SessionStatus, columns = 80, rows = 24): TestUi {
  const ui = uiOf(status, columns, rows);
  ui.act({ type: 'conflicts', conflicts: [conflictOf(1), conflictOf(2)] });
  ui.press('tab', 'tab', 'tab');
  return ui;
}

suite('tui: settling conflicts', (test) => {
  for (const [key, take] of [
    ['o', 'mine'],
    ['p', 'theirs'],
  ] as const) {
    test(`${key} lets ${take} stand, of the conflict that is chosen`, () => {
      const ui = inConflict('active');
      ui.press('j', key);
      const edit = { kind: 'resolve', conflict: conflictOf(2), take, withDependents: false };
      assert.equal(ui.state.edit, edit);
      assert.match(ui.screen, 'Settling …');
    });
  }

  test('what is left is shown at once, and the own edit is no news', () => {
    const ui = inConflict('active');
    ui.press('j', 'o');
    const edited = { ...session, status: 'active', edits: 1 } as const;
    const conflicts = [conflictOf(1)];
    ui.act({ type: 'edited', session: edited, conflicts, text: '1 settled, 1 left.' });
    assert.equal([ui.state.edit, ui.state.conflict], [null, 0]);
    assert.match(ui.screen, '[Conflicts 1]');
    assert.match(ui.screen, /! 1 conflict with production: .*\. 1 settled, 1 left\./);
    const asked = () => ui.daemon.asked.filter(({ kind }) => kind === 'digest').length;
    const before = asked();
    ui.act({ type: 'outline', outline: { ...ui.daemon.outline, revision: 'staged-3-1' } });
    assert.match(ui.screen, '1 settled, 1 left.');
    assert.is(asked(), before + 1);
    ui.act({ type: 'session', session: { ...edited, mutationCount: 4 } });
    ui.act({ type: 'outline', outline: { ...ui.daemon.outline, revision: 'staged-4-1' } });
    assert.match(ui.screen, 'The session has changed');
  });

  test('one is settled at a time, for the next is to be seen before', () => {
    const ui = inConflict('active');
    ui.press('o', 'j', 'p');
    assert.is(ui.state.edit?.kind === 'resolve' && ui.state.edit.take, 'mine');
    ui.act({ type: 'failed', text: 'the table has changed. Start another session.' });
    assert.is(ui.state.edit, null);
    assert.match(ui.screen, 'the table has changed. Start another session.');
  });

  test('what hangs on a row that is given up is named, and taken along when that is agreed to', () => {
    const ui = inConflict('active');
    ui.press('p');
    const { edit } = ui.state;
    if (edit === null) return assert.unreachable();
    ui.act({ type: 'dependents', edit, dependents: ['order_lines 7'], text: '' });
    assert.match(ui.screen, "orders 1: production's value stands");
    assert.match(ui.screen, /Take them out, too\?\n +order_lines 7/);
    ui.type('yes');
    assert.equal(ui.state.edit, { ...edit, withDependents: true });
  });

  test('a proposed session is given back first, by the key that does it', () => {
    const ui = inConflict('proposed');
    ui.press('o');
    assert.is(ui.state.edit, null);
    assert.match(ui.screen, 'The session is proposed: C gives it back for changes first.');
    const own = uiOf('proposed', 80, 24, { reopen: ['B'] });
    own.press('u');
    assert.match(own.screen, 'The session is proposed: B gives it back');
    const decided = inConflict('approved');
    decided.press('p');
    assert.match(decided.screen, 'The session is approved: what it staged stays as it is.');
  });

  test('nothing is settled elsewhere, nor what is hidden', () => {
    const ui = inConflict('active');
    ui.act({ type: 'conflicts', conflicts: [{ ...conflictOf(1), hidden: true }] });
    ui.press('o');
    assert.match(ui.screen, "hidden: your token's database roles may not read this table");
    ui.press('escape', 'o');
    assert.match(ui.screen, 'Choose a conflict to settle: in Conflicts.');
    assert.is(ui.state.edit, null);
  });

  for (const [columns, rows] of sizes) {
    test(`the keys are named on ${columns}x${rows}`, () => {
      const keys = "o mine stands · p production's";
      assert.match(inConflict('active', columns, rows).screen, keys);
      assert.not.match(inConflict('proposed', columns, rows).screen, keys);
      assert.match(uiOf('active', columns, rows).screen, 'u take out');
      assert.match(uiOf('approved', columns, rows).screen, 'U take back');
    });
  }
});

suite('tui: taking rows out', (test) => {
  for (const keys of [['j'], ['j', 'enter']]) {
    test(`u asks, in the pane that ${keys.length === 1 ? 'lists rows' : 'shows one'}`, () => {
      const ui = uiOf('active');
      ui.press(...keys, 'u');
      assert.match(ui.screen, 'Take this out of the session, as if it had never been staged?');
      assert.match(ui.screen, /^ {4}orders 2$/m);
      ui.type('no');
      assert.equal([ui.state.edit, ui.state.notice?.text], [null, 'Nothing was done.']);
      ui.press('u');
      ui.type('yes');
      const rowId = new JsonText('2');
      const edit = { kind: 'unstage', table: 'orders', rowId, withDependents: false };
      assert.equal(ui.state.edit, edit);
      assert.match(ui.screen, 'Taking out …');
    });
  }

  for (const [columns, rows] of sizes) {
    test(`what hangs on it is listed on ${columns}x${rows}, and taken along when that is agreed to`, () => {
      const ui = uiOf('active', columns, rows);
      ui.press('u');
      ui.type('yes');
      const { edit } = ui.state;
      if (edit === null) return assert.unreachable();
      const dependents = Array.from({ length: 20 }, (_, id) => `order_lines order=1,line=${id}`);
      ui.act({ type: 'dependents', edit, dependents: [...dependents, 'and 4 more'], text: '' });
      assert.match(ui.screen, 'These rows depend on it. Take them out, too?');
      for (const dependent of dependents) assert.ok(ui.screen.includes(dependent), dependent);
      assert.match(ui.screen, 'and 4 more');
      ui.press('escape');
      assert.is(ui.state.edit, null);
      ui.act({ type: 'dependents', edit, dependents, text: '' });
      ui.type('ab12ab12');
      assert.equal(ui.state.edit, { ...edit, withDependents: true });
    });
  }

  test('a question that comes while something is typed waits for the next key', () => {
    const ui = uiOf('active');
    ui.press('u');
    ui.type('yes');
    const { edit } = ui.state;
    if (edit === null) return assert.unreachable();
    ui.press('/', 'a');
    ui.act({ type: 'dependents', edit, dependents: ['orders 9'], text: 'a staged row would' });
    assert.equal(ui.state.prompt, { kind: 'search', text: 'a' });
    ui.press('escape');
    assert.is(ui.state.edit, null);
  });

  test('of a table without a key all rows are meant, and that is said', () => {
    const ui = uiOf('active');
    const { outline } = ui.daemon;
    const tables = outline.tables.map((table) => ({ ...table, key: [] }));
    ui.act({ type: 'outline', outline: { revision: 'staged-4', tables } });
    ui.press('u');
    assert.match(ui.screen, /all rows of orders: it has no key/);
    ui.type('yes');
    assert.is(ui.state.edit?.kind === 'unstage' && ui.state.edit.rowId, null);
  });

  test('without a row in sight there is none to take out', () => {
    const ui = uiOf('active');
    ui.press('tab', 'tab', 'u');
    assert.is(ui.state.prompt, null);
    assert.match(ui.screen, 'Choose a row to take out: in Rows or Detail.');
  });
});

suite('tui: an approval that is not the last', (test) => {
  for (const [status, text] of [
    ['proposed', 'Others have to agree, too: production is untouched.'],
    ['approved', 'Approved: the rows are in production.'],
  ] as const) {
    test(`leaves the session ${status}`, () => {
      const ui = uiOf('proposed');
      ui.act({ type: 'done', decision: 'approve', session: { ...session, status } });
      assert.match(ui.screen, text);
    });
  }
});

suite('tui: taking an approval back', (test) => {
  test('U asks, and names the new session with the command that shows it', () => {
    const ui = uiOf('approved');
    ui.press('U');
    assert.match(ui.screen, 'Take this approval back?');
    ui.type('yes');
    assert.equal(ui.state.deciding, { decision: 'revert', reason: '' });
    assert.match(ui.screen, 'Staging the inverse …');
    const id = `sess_${'0f'.repeat(16)}`;
    ui.act({ type: 'reverted', id });
    assert.is(ui.state.deciding, null);
    assert.match(ui.screen, `The inverse is staged: stage diff ${id}`);
    assert.is(ui.state.session?.status, 'approved');
  });

  test('only what was approved is taken back', () => {
    for (const status of ['active', 'proposed', 'rejected'] as const) {
      const ui = uiOf(status);
      ui.press('U');
      assert.is(ui.state.prompt, null);
      assert.match(ui.screen, `The session is ${status}: only one that is approved`);
    }
  });
});

suite('tui: notices', (test) => {
  const text = `rows have changed since the session was approved: ${'products 1, '.repeat(8)}. Next: stage revert ${session.id} --skip-changed`;

  test('are read whole on 80 columns, above the keys', () => {
    const ui = uiOf('approved');
    ui.act({ type: 'failed', text });
    const shown = ui.screen.split('\n');
    assert.is(shown.length, 24);
    const words = shown.slice(-6, -1).join(' ').replaceAll(/\s+/g, ' ');
    assert.ok(words.includes('--skip-changed'), words);
    assert.match(shown.at(-1) ?? '', '? help');
  });

  test('leave room for what they are about, however small the screen', () => {
    const ui = new TestUi([changeOf({ id: 1, a: 1 }, { id: 1, a: 2 })], 30, 8);
    ui.act({ type: 'conflicts', conflicts: [conflictOf(1)] });
    ui.act({ type: 'failed', text });
    assert.is(ui.lines.length, 8);
    assert.match(ui.screen, /> ~/);
  });
});

suite('tui: pages about keys', (test) => {
  for (const [does, page] of [
    ['mine', 'resolve'],
    ['theirs', 'resolve'],
    ['unstage', 'unstage'],
    ['rehearse', 'rehearse'],
    ['revert', 'revert'],
  ] as const) {
    test(`docs/${page}.md and docs/review.md name the key of ${does}`, () => {
      const key = `\`${createKeymap().keyFor(does)}\``;
      for (const name of [page, 'review'])
        assert.ok(readFileSync(`docs/${name}.md`, 'utf8').includes(key), `${name}: ${key}`);
    });
  }
});
