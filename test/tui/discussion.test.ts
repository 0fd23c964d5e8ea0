/** The comments of reviewers in the interface, the reasons of a change, and a daemon that does not respond. */
import { JsonText } from '../../src/model/json.ts';
import { assert, suite } from '../helpers/suite.ts';
import { changeOf, session, TestUi } from './screen.ts';

const openUi = (columns = 80) =>
  new TestUi(
    [1, 2, 3].map((id) => changeOf({ id, note: 'old' }, { id, note: 'new' })),
    columns,
  );

const comment = (body: string, rowId: string | null = null, kind = 'comment') => ({
  id: 'cmt_1',
  sessionId: 'sess_1',
  kind,
  body,
  table: rowId === null ? null : 'orders',
  rowId: rowId === null ? null : new JsonText(rowId),
  at: '2026-01-31T12:00:00Z',
  by: 'ann',
});

suite('tui: comments', (test) => {
  test('M comments on the chosen row, elsewhere on the session', () => {
    const at = openUi();
    at.press('j', 'M');
    assert.match(at.screen, 'Comment on orders 2:');
    at.type('why new?');
    assert.is(at.state.commenting?.text, 'why new?');
    assert.equal(
      [at.state.commenting?.about?.table, at.state.commenting?.about?.rowId.text],
      ['orders', '2'],
    );
    assert.match(at.screen, 'Saying it …');
    at.act({ type: 'commented' });
    assert.is(at.state.commenting, null);
    at.press('shift-tab', 'M');
    assert.match(at.screen, 'Comment on the session:');
    at.type('fine');
    assert.is(at.state.commenting?.about, null);
    at.act({ type: 'failed', text: 'no' });
    at.press('M');
    at.type(' ');
    assert.is(at.state.commenting, null);
  });

  test('stand in a pane of their own, at their rows, and in the detail', () => {
    const at = openUi();
    const hostile = `two${'\u202e'}\nlines`;
    at.act({
      type: 'comments',
      comments: [comment(hostile, '2'), comment('more', null, 'changes_requested')],
    });
    assert.match(at.screen, / {2}~ {2}" +2 │/);
    assert.not.match(at.screen, / {2}~ {2}" +3 │/);
    at.press('j', 'enter');
    assert.match(at.screen, /" ann on orders 2 [\s\S]*two\\u202e\n.*lines/);
    at.press('tab', 'tab', 'tab');
    assert.match(at.screen, '[Comments 2]');
    assert.match(at.screen, '> ann on orders 2  two\\u202e lines');
    at.press('j');
    assert.match(at.screen, '> ann wants changes  more');
  });
});

suite('tui: asking for changes', (test) => {
  test('C asks, wants a message, and gives the session back', () => {
    const at = openUi();
    at.press('C');
    assert.match(at.screen, 'Give this session back for changes?');
    at.type('yes');
    assert.match(at.screen, 'What is to change:');
    at.type('only two, please');
    assert.equal(at.state.deciding, { decision: 'reopen', reason: 'only two, please' });
  });

  test('does nothing without a message, and where nothing was proposed', () => {
    const at = openUi();
    at.press('C');
    at.type('yes');
    at.type(' ');
    assert.is(at.state.deciding, null);
    assert.match(at.screen, 'say what is to be changed');
    for (const status of ['active', 'approved', 'rejected'] as const) {
      at.act({ type: 'session', session: { ...session, status } });
      at.press('C');
      assert.is(at.state.prompt, null);
      assert.match(at.screen, `The session is ${status}`);
    }
  });

  test('the digest is that of the next round then, and read anew', () => {
    const at = openUi();
    const asked = () => at.daemon.asked.filter(({ kind }) => kind === 'digest').length;
    at.act({ type: 'session', session: { ...session, status: 'active', round: 0 } });
    at.act({ type: 'session', session });
    assert.is(asked(), 1);
    at.act({ type: 'session', session: { ...session, status: 'active' } });
    assert.is(asked(), 2);
    at.act({ type: 'session', session: { ...session, round: 2 } });
    assert.is(asked(), 2);
  });

  test('what may be decided is seen on 80 columns', () => {
    const at = openUi();
    assert.match(at.screen, /A approve · C changes · X reject/);
    at.act({ type: 'session', session: { ...session, status: 'active' } });
    assert.match(at.screen, /P propose/);
  });
});

suite('tui: why', (test) => {
  test('the detail names the statements, asked for once', () => {
    const at = openUi();
    at.press('enter');
    assert.match(at.screen, /Why\n.* mut_1 by bot: UPDATE orders/);
    at.press('down', 'up');
    const asked = at.daemon.asked.filter(({ kind }) => kind === 'why');
    assert.is(asked.length, 1);
  });
});

suite('tui: a daemon that does not answer', (test) => {
  test('is told until it is back, whatever keys are pressed', () => {
    const at = openUi(200);
    at.act({ type: 'offline', text: `the server cannot be reached${'\u202e'}` });
    at.press('j', 'J', 'k');
    assert.match(at.screen, 'PROPOSED OFFLINE');
    assert.match(at.screen, '! Offline, trying again; this is what was there. the server');
    assert.not.match(at.screen, '\u202e');
    at.act({ type: 'offline', text: null });
    assert.not.match(at.screen, /OFFLINE|Offline/);
    assert.match(at.screen, 'The service answers again');
  });
});
