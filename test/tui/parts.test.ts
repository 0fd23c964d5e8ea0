/** Marks of a part: keys, counts, the question, and what is tied to them; approvals for later and past the policy, and their review. */
import { choicesOf } from '../../src/client/part-marks.ts';
import { JsonText } from '../../src/model/json.ts';
import type { Session } from '../../src/model/session.ts';
import { assert, suite } from '../helpers/suite.ts';
import { changeOf, session, TestUi } from './screen.ts';

function uiOf(facts: Partial<Session> = {}, columns = 120, rows = 30): TestUi {
  const changes = ['orders', 'products'].flatMap((table) =>
    [1, 2, 3, 4].map((id) => changeOf({ id, note: 'old' }, { id, note: 'new' }, table)),
  );
  const ui = new TestUi(changes, columns, rows);
  ui.act({ type: 'session', session: { ...session, ...facts } });
  ui.state = { ...ui.state, notice: null };
  return ui;
}

const marked = ({ state }: TestUi) =>
  choicesOf(state.part).map(({ table, rowId }) => (rowId ? `${table}:${rowId.text}` : table));

suite('tui: marks of a part', (test) => {
  test('rows, ranges and tables are marked, counted, and cleared', () => {
    const ui = uiOf();
    ui.press('m');
    assert.is(ui.state.row, 1);
    ui.press('j', 'v', 'j', 'm');
    assert.equal(marked(ui), ['orders:1', 'orders:3', 'orders:4']);
    assert.match(ui.screen, 'Marked: 3 rows of orders. A approves them · escape clears');
    assert.match(ui.screen, /^ {2}~4 \*3/m);
    assert.match(ui.screen, / \*~ +│?/);
    ui.press(']', 'T');
    assert.equal(marked(ui).at(-1), 'products');
    ui.press('m');
    assert.match(ui.screen, 'The whole table is marked: T unmarks it.');
    ui.press('T', '[', 'g', 'm');
    assert.equal(marked(ui), ['orders:3', 'orders:4']);
    ui.press('escape');
    assert.equal(marked(ui), []);
    ui.press('tab', 'tab', 'tab', 'tab', 'tab', 'tab', 'm');
    assert.equal(marked(ui), ['orders']);
  });

  test('the question names the part, and the marked rows alone are approved', () => {
    const ui = uiOf();
    ui.press('m', ']', 'T', 'A');
    assert.match(ui.screen, 'Approve the marked part, and apply to production database shop?');
    assert.match(ui.screen, 'The part: 1 row of orders, all of products; 5 in total.');
    assert.match(ui.screen, 'The rest goes to an active session of its own');
    const { part } = ui.state;
    ui.type('yes');
    assert.equal(ui.state.deciding, { decision: 'approve', reason: '', part });
    const remaining = `sess_${'cd34'.repeat(8)}`;
    const done = { ...session, status: 'approved', remaining } as const;
    ui.act({ type: 'done', decision: 'approve', session: done });
    assert.match(ui.screen, 'the marked rows are in production');
    ui.press('j');
    assert.match(ui.screen, `in a session of its own: stage diff ${remaining}`);
    assert.equal(marked(ui), []);
    ui.press('m');
    assert.match(ui.screen, 'The session is approved: it has no parts to choose.');
  });

  test('what is tied to them is listed, and included when that is agreed to', () => {
    const ui = uiOf();
    ui.press('m', 'A');
    ui.type('yes');
    const { deciding } = ui.state;
    if (deciding === null) return assert.unreachable();
    ui.act({ type: 'tied', deciding, ties: ['order_lines 7', 'and 3 more'], text: 'tied' });
    assert.is(ui.state.deciding, null);
    assert.match(ui.screen, /These are tied to them:[\s\S]*order_lines 7 +and 3 more/);
    ui.type('no');
    assert.is(ui.state.deciding, null);
    ui.act({ type: 'tied', deciding, ties: ['order_lines 7'], text: 'tied' });
    ui.type('yes');
    assert.is(ui.state.deciding?.withTies, true);
    ui.act({ type: 'failed', text: 'conflict' });
    ui.press('escape');
    ui.act({ type: 'tied', deciding, ties: ['order_lines 7'], text: 'they are tied' });
    assert.is(ui.state.prompt, null);
    assert.match(ui.screen, 'they are tied');
  });

  test('a change by others clears them, and a question about them', () => {
    const ui = uiOf();
    ui.press('m', 'A');
    ui.act({ type: 'outline', outline: { ...ui.daemon.outline, revision: 'staged-4' } });
    assert.equal([ui.state.prompt, marked(ui)], [null, []]);
    assert.match(ui.screen, 'The marks are cleared, and nothing was approved.');
  });

  test('of a table without a key the whole is marked, no row', () => {
    const ui = uiOf();
    const tables = ui.daemon.outline.tables.map((table) => ({ ...table, key: [] }));
    ui.act({ type: 'outline', outline: { revision: 'staged-5', tables } });
    ui.press('m');
    assert.equal(marked(ui), []);
    assert.match(ui.screen, 'T marks all of them');
    ui.press('T');
    assert.equal(marked(ui), ['orders']);
  });

  test('hostile names and keys are shown as escapes, and keys keep their digits', () => {
    const change = changeOf({ id: 1, a: 1 }, { id: 1, a: 2 }, 'ev\u001b[2Jil\u202e');
    const rowId = new JsonText('9007199254740993');
    const ui = new TestUi([{ ...change, rowId }], 120, 30);
    ui.press('m', 'A');
    assert.match(ui.screen, /1 row of "?ev\\x1b\[2Jil\\u202e/);
    assert.equal(choicesOf(ui.state.part)[0]?.rowId?.text, '9007199254740993');
    ui.press('escape');
    ui.act({
      type: 'tied',
      deciding: { decision: 'approve', reason: '', part: ui.state.part },
      ties: ['x'],
      text: '',
    });
    assert.is(ui.state.prompt?.kind, 'confirm');
  });

  test('an active session is split by its author', () => {
    const ui = uiOf({ status: 'active' });
    ui.press('D');
    assert.match(ui.screen, 'Mark rows first: m marks them.');
    ui.press('m');
    assert.match(ui.screen, 'D splits them off');
    ui.press('D');
    assert.match(ui.screen, 'Move the marked part to a session of its own?');
    ui.type('yes');
    assert.is(ui.state.deciding?.decision, 'split');
    const split = { ...session, status: 'active', edits: 1 } as const;
    ui.act({ type: 'splitOff', session: split, text: 'Split off: orders 1.' });
    ui.act({ type: 'outline', outline: { ...ui.daemon.outline, revision: 'staged-6' } });
    assert.match(ui.screen, 'Split off: orders 1.');
    assert.equal(marked(ui), []);
    const other = uiOf();
    other.press('m', 'D');
    assert.match(other.screen, 'The session is proposed: its author splits one that is active.');
  });
});

suite('tui: approvals for later', (test) => {
  test('W asks when, shows the time in UTC, and says what cancels it', () => {
    const ui = uiOf();
    ui.press('W');
    assert.match(ui.screen, 'Approve now, and apply to production database shop later?');
    ui.type('tomorrow');
    assert.match(ui.screen, 'That is no time');
    ui.press('W');
    ui.type('2999-01-31T03:00+01:00');
    assert.match(ui.screen, 'It is applied at 2999-01-31T02:00:00.000Z, and checked again then.');
    ui.type('yes');
    const at = '2999-01-31T02:00:00.000Z';
    assert.equal(ui.state.deciding, { decision: 'schedule', reason: '', at });
    const applyAt = '2999-01-31T02:00:00.000000Z';
    const done = { ...session, applyAt, scheduledAs: 'ann' };
    ui.act({ type: 'done', decision: 'schedule', session: done });
    assert.match(ui.screen, `Approved for later: it is applied at ${applyAt}`);
    ui.press('W');
    ui.type('window');
    assert.match(ui.screen, 'as soon as the windows of the policy are open');
    assert.match(ui.screen, `This replaces the approval by ann that is applied at ${applyAt}`);
    ui.press('escape', 'C');
    assert.match(ui.screen, `! This cancels the approval by ann that is applied at ${applyAt}.`);
  });

  test('a part is approved at once', () => {
    const ui = uiOf();
    for (const key of ['W', '!']) {
      ui.press('m', key);
      assert.is(ui.state.prompt, null);
      assert.match(ui.screen, /A part is approved at once, by A; escape clears its marks/);
      ui.press('escape');
    }
  });
});

suite('tui: break-glass', (test) => {
  test('! takes a reason, and warns', () => {
    const ui = uiOf();
    ui.press('!');
    assert.match(ui.screen, '! This goes past the policy: nobody else agrees');
    ui.type('');
    assert.match(ui.screen, 'Nothing was done: it takes a reason');
    ui.press('!');
    ui.type('orders cannot be paid');
    assert.match(ui.screen, 'Approve PAST THE POLICY, and apply to production database shop?');
    assert.match(ui.screen, 'Reason: orders cannot be paid');
    ui.type('yes');
    const reason = 'orders cannot be paid';
    assert.equal(ui.state.deciding, { decision: 'breakGlass', reason });
    const done = { ...session, status: 'approved', breakGlass: reason, reviewDue: true } as const;
    ui.act({ type: 'done', decision: 'breakGlass', session: done });
    assert.match(ui.screen, 'Somebody else has to review that.');
  });

  test('V reviews such an approval, and no other', () => {
    const ui = uiOf({
      ...{ status: 'approved', approvedAs: 'ann', breakGlass: 'fire\u202e', reviewDue: true },
    });
    assert.match(ui.screen, 'V review it');
    ui.press('V');
    assert.match(ui.screen, /ann approved it past the policy: fire\\u202e/);
    ui.type('was right');
    assert.match(ui.screen, 'Found: was right');
    ui.type('yes');
    assert.equal(ui.state.deciding, { decision: 'review', reason: 'was right' });
    const other = uiOf({ status: 'approved' });
    other.press('V');
    assert.match(
      other.screen,
      'Only an approval that went past the policy is reviewed afterwards.',
    );
    const done = uiOf({ status: 'approved', reviewDue: false, reviewedAs: 'bob' });
    done.press('V');
    assert.match(done.screen, 'bob has reviewed it already.');
  });
});
