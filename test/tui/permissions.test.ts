/** The interface for a caller that may not do everything. */
import type { Role } from '../../src/model/access.ts';
import type { SessionStatus } from '../../src/model/session.ts';
import { bindings } from '../../src/tui/keys.ts';
import { assert, suite } from '../helpers/suite.ts';
import { changeOf, session, TestUi } from './screen.ts';

const everything = [
  ...['proposeSession', 'approveSession', 'rejectSession', 'reopenSession', 'revertSession'],
  ...['resolveConflicts', 'unstageRows', 'rehearseSession', 'addComment'],
  ...['reviewSession', 'splitSession'],
];

/** Opens the interface for a role that is allowed everything except some operations. */
function openAs(role: Role, without: readonly string[], status: SessionStatus): TestUi {
  const ui = new TestUi([changeOf({ id: 1, note: 'old' }, { id: 1, note: 'new' })], 200, 60);
  const operations = everything.filter((name) => !without.includes(name));
  ui.act({ type: 'session', session: { ...session, status } });
  ui.act({ type: 'caller', caller: { name: 'ann', role, rights: [], projects: null, operations } });
  return ui;
}

const footer = (ui: TestUi) => ui.screen.split('\n').at(-1) ?? '';

suite('tui: permissions', (test) => {
  const commands = [
    ['A', 'approveSession', 'approve', 'proposed'],
    ['X', 'rejectSession', 'reject', 'proposed'],
    ['C', 'reopenSession', 'give a session back', 'proposed'],
    ['e', 'rehearseSession', 'rehearse', 'proposed'],
    ['M', 'addComment', 'comment', 'proposed'],
    ['P', 'proposeSession', 'propose', 'active'],
    ['u', 'unstageRows', 'take rows out', 'active'],
    ['o', 'resolveConflicts', 'settle conflicts', 'active'],
    ['p', 'resolveConflicts', 'settle conflicts', 'active'],
    ['U', 'revertSession', 'take an approval back', 'approved'],
    ['W', 'approveSession', 'approve', 'proposed'],
  ] as const;
  for (const [key, operation, words, status] of commands) {
    test(`${key} is not offered to those who may not ${words}, and says why`, () => {
      const ui = openAs('author', [operation], status);
      const other = openAs('operator', [], status);
      if (operation === 'resolveConflicts')
        for (const each of [ui, other]) each.press('tab', 'tab', 'tab');
      const named = new RegExp(` ${key} | ${key}/|/${key} `);
      assert.not.match(footer(ui), named);
      ui.press(key);
      assert.is(ui.state.prompt, null);
      assert.equal([ui.state.rehearsing, ui.state.edit], [null, null]);
      assert.match(ui.screen, `You may not ${words} here: your role is author.`);
      ui.press('?');
      const { help = '' } = bindings.find(({ keys }) => keys.includes(key)) ?? {};
      assert.not.match(ui.screen, help.slice(0, 30));
      assert.match(footer(other), named);
      other.press('?');
      assert.match(other.screen, help.slice(0, 30));
    });
  }

  test('everything is offered until the permissions are known, and by a service that does not report them', () => {
    const ui = new TestUi([changeOf({ id: 1 }, null)]);
    ui.press('A');
    assert.is(ui.state.prompt?.kind, 'confirm');
    ui.act({
      type: 'caller',
      caller: { name: null, role: 'operator', rights: [], projects: null, operations: null },
    });
    ui.press('escape', 'X');
    assert.is(ui.state.prompt?.kind, 'confirm');
  });

  test('hints name no key that its user may not use', () => {
    const ui = openAs('reviewer', ['reopenSession', 'rehearseSession'], 'proposed');
    ui.press('u');
    assert.match(ui.screen, 'The session is proposed: it takes no edits.');
    ui.press('shift-tab', 'shift-tab');
    assert.match(ui.screen, 'Not rehearsed yet. You may not rehearse here: your role is reviewer.');
  });
});
