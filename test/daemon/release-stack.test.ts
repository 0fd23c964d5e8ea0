/** Started parts are stopped in reverse order, once, whatever fails. */
import { createReleaseStack } from '../../src/daemon/release-stack.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

suite('daemon: release stack', (test) => {
  test('stops the last started first, one after the other', async () => {
    const events: string[] = [];
    const stack = createReleaseStack((name) => events.push(`stopping ${name}`));
    for (const name of ['a', 'b']) {
      stack.push(name, async () => {
        await new Promise((resolve) => setImmediate(resolve));
        events.push(`${name} stopped`);
      });
    }
    await stack.release();
    assert.equal(events, ['stopping b', 'b stopped', 'stopping a', 'a stopped']);
  });

  test('stops everything though some fail, and raises the first failure', async () => {
    const stopped: string[] = [];
    const stack = createReleaseStack();
    stack.push('first', async () => {
      stopped.push('first');
    });
    stack.push('second', async () => {
      throw new Error('second failed');
    });
    stack.push('third', async () => {
      throw new Error('third failed');
    });
    assert.is((await rejects(stack.release())).message, 'third failed');
    assert.equal(stopped, ['first']);
  });

  test('refuses to run twice', async () => {
    const stack = createReleaseStack();
    await stack.release();
    assert.match((await rejects(stack.release())).message, /before/);
  });
});
