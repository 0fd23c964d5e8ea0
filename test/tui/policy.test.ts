/** What the interface shows of the policy: votes, rules, and the way past it. */
import type { SessionPolicy } from '../../src/model/policy.ts';
import { lineWidth, textOf } from '../../src/tui/terminal/line.ts';
import { madeAt } from '../helpers/made-session.ts';
import { assert, suite } from '../helpers/suite.ts';
import { changeOf, session, TestUi } from './screen.ts';

const policy: SessionPolicy = {
  version: '7',
  verdicts: [
    { rule: 'prices', limit: 'max_rows', table: 'orders', holds: true, says: 'at most 5 rows' },
    {
      rule: 'days',
      limit: 'windows',
      table: null,
      holds: false,
      says: 'approve mon',
      opensAt: madeAt,
    },
  ],
  approvals: {
    needed: 2,
    count: 1,
    given: [{ as: 'ann', at: madeAt, counts: true, why: null }],
    missing: [{ rule: 'prices', more: 1, from: ['bob', 'cat'] }],
  },
  breakGlass: ['Eve'],
};

function uiOf(name: string | null, shown: SessionPolicy = policy, columns = 200, rows = 40) {
  const ui = new TestUi([changeOf({ id: 1, note: 'old' }, { id: 1, note: 'new' })], columns, rows);
  ui.act({
    type: 'caller',
    caller: { name, role: 'reviewer', rights: [], projects: null, operations: ['approveSession'] },
  });
  ui.act({ type: 'policy', policy: shown });
  return ui;
}

const agreed = /Approvals: 1 of 2 agreed: ann; 1 more of bob, cat\./;
const broken = new RegExp(
  `! BROKEN {2}days: approve mon \\(opens ${madeAt.replaceAll('.', '\\.')}\\)`,
);

suite('tui: policy', (test) => {
  test('votes and broken rules stand above the rows, kept rules and who may go past them behind', () => {
    const { screen } = uiOf('ann');
    assert.match(screen, agreed);
    assert.match(screen, broken);
    assert.match(screen, /holds {2}prices: at most 5 rows/);
    assert.match(screen, /past the policy, with a reason: Eve/);
    assert.ok(screen.search(agreed) < screen.search(broken));
    assert.ok(screen.search(broken) < screen.search(/holds {2}prices/));
  });

  test('whoever approves is shown them again', () => {
    const ui = uiOf('bob');
    for (const key of ['A', 'W']) {
      ui.press(key);
      assert.match(ui.screen, agreed);
      assert.match(ui.screen, broken);
      ui.press('escape');
    }
    ui.press('A', 'escape');
    ui.act({ type: 'policy', policy: { version: '0', verdicts: [] } });
    ui.press('A');
    assert.not.match(ui.screen, /Approvals|BROKEN/);
  });

  test('the way past the policy is offered to those whom a rule names', () => {
    const other = uiOf('bob');
    other.press('!');
    assert.is(other.state.prompt, null);
    assert.match(other.screen, 'No rule that holds for the session names you');
    assert.not.match(other.screen, '! past the policy');
    other.press('?');
    assert.not.match(other.screen, 'approve it past the policy');
    const named = uiOf('eve');
    assert.match(named.screen, '! past the policy');
    named.press('!');
    assert.is(named.state.prompt?.kind, 'reason');
    assert.match(named.screen, agreed);
    // a person without a name is named by no rule
    const open = uiOf(null);
    open.press('!');
    assert.is(open.state.prompt, null);
  });

  test('the service decides where the policy is not known, and nothing is shown of it', () => {
    const ui = uiOf('bob');
    ui.act({ type: 'policy', policy: null });
    assert.not.match(ui.screen, agreed);
    ui.press('!');
    assert.is(ui.state.prompt?.kind, 'reason');
  });

  test('nothing is shown of a session that is decided', () => {
    const ui = uiOf('eve');
    ui.act({ type: 'session', session: { ...session, status: 'rejected' } });
    assert.not.match(ui.screen, /Approvals|BROKEN|holds/);
  });

  for (const [columns, rows] of [
    [80, 24],
    [30, 16],
    [3, 3],
  ] as const) {
    test(`names and rules of any kind fill ${columns}x${rows} exactly`, () => {
      const hostile = '\x1b[8m\u202e\u200b\n';
      const [held, violated] = policy.verdicts;
      const ui = uiOf(
        'eve',
        {
          ...policy,
          verdicts: [held, violated].flatMap((one) =>
            one === undefined ? [] : [{ ...one, rule: hostile, says: hostile }],
          ),
          approvals: {
            needed: 2,
            count: 0,
            given: [{ as: hostile, at: madeAt, counts: false, why: hostile }],
            missing: [{ rule: hostile, more: 2, from: [hostile] }],
          },
          breakGlass: [hostile, 'eve'],
        },
        columns,
        rows,
      );
      for (const key of ['j', 'B', 'A', 'escape', '!']) {
        ui.press(key);
        for (const line of ui.lines) {
          assert.not.match(textOf(line), /\p{Cc}|\u202e|\u200b/u);
          assert.is(lineWidth(line), columns, textOf(line));
        }
      }
    });
  }
});
