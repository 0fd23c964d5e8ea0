/** Answers of the daemon that reach the terminal interface after the outcome of a decision: they do not undo what it shows. */
import type { ApiClient } from '../../src/client/api-client.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';
import { terminalsOf } from '../helpers/test-terminal.ts';
import { until } from '../helpers/until.ts';

/** A timeout for busy machines. No test waits longer than necessary. */
const patience = { timeout: 120_000 };

/** Holds back the next answer to a request of the interface. */
function holdBack(api: ApiClient, name: 'getSession' | 'findConflicts') {
  const plain = api[name].bind(api) as (id: string) => Promise<unknown>;
  const held = { isHeld: false, release: (): void => undefined };
  const released = new Promise<void>((resolve) => {
    held.release = resolve;
  });
  const late = async (id: string) => {
    Object.assign(api, { [name]: plain });
    const answer = await plain(id);
    held.isHeld = true;
    await released;
    return answer;
  };
  Object.assign(api, { [name]: late });
  return held;
}

suite('late answers in the interface', (test) => {
  let rest: TestRest;
  const openTerminal = terminalsOf(test);
  test.before(async () => {
    rest = await startTestRest();
  });
  test.after(() => rest.stop());

  async function sit(statement: string) {
    const id = await rest.newSession();
    await rest.write(id, statement);
    const terminal = openTerminal(rest.url, id, false);
    await terminal.see(/Conflicts 0/);
    return { id, terminal };
  }

  test(
    'a session read before it was proposed does not become active again',
    async () => {
      const { id, terminal } = await sit('UPDATE products SET stock = stock + 1 WHERE id = 1');
      const held = holdBack(terminal.api, 'getSession');
      await until(() => held.isHeld);
      await terminal.press('P');
      await terminal.see(/Propose this session/);
      await terminal.press('yes\r');
      await terminal.see(/Proposed: the session takes no more writes/);
      held.release();
      await rest.call('POST', `/sessions/${id}/comments`, { json: { body: 'seen' } });
      await terminal.see(/Comments 1/);
      assert.match(terminal.frame, /Proposed: the session takes no more writes/);
    },
    patience,
  );

  test(
    'a conflict that was found before it was settled does not come back',
    async () => {
      const { id, terminal } = await sit('UPDATE products SET price = 77.50 WHERE id = 2');
      await rest.database.query('UPDATE products SET price = 88.10 WHERE id = 2');
      await terminal.press('R');
      await terminal.see(/Conflicts 1/);
      const held = holdBack(terminal.api, 'findConflicts');
      await until(() => held.isHeld);
      await terminal.press('\t\t\t');
      await terminal.see(/\[Conflicts 1\]/);
      await terminal.press('o');
      await terminal.see(/1 settled, 0 left\./);
      const back: string[] = [];
      terminal.stdout.on('data', () => {
        if (terminal.frame.includes('[Conflicts 1]')) back.push(terminal.frame);
      });
      held.release();
      await rest.call('POST', `/sessions/${id}/comments`, { json: { body: 'seen' } });
      await terminal.see(/Comments 1/);
      assert.equal(back, []);
    },
    patience,
  );
});
