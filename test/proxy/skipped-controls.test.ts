/** Transaction control that the server skips after an error does not change the proxy's state. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { pipelineSchema } from '../helpers/random-pipeline.ts';
import { assert, suite } from '../helpers/suite.ts';
import { q, run, runScript, s } from '../helpers/wire-script.ts';

const write = 'UPDATE item SET amount = 5 WHERE id = 1';
const wrong = 'SELECT 1/0';

/**
 * After a failure outside of savepoints a chained transaction begins with the default access; inside of them, with that of the last
 * transaction.
 */
const chained = (chain: string) => [q(chain), q(write), q('SHOW transaction_read_only'), q('END')];

const scripts: Record<string, readonly Buffer[]> = {
  'COMMIT AND CHAIN': [
    ...[q('BEGIN READ ONLY'), run(wrong), run('COMMIT AND CHAIN'), s],
    ...chained('COMMIT AND CHAIN'),
  ],
  'ROLLBACK AND CHAIN, behind a refused write': [
    ...[run('BEGIN READ ONLY'), run(write), run('ROLLBACK AND CHAIN'), s],
    ...chained('ROLLBACK AND CHAIN'),
  ],
  SAVEPOINT: [
    ...[q('BEGIN READ ONLY'), run(wrong), run('SAVEPOINT a'), run('SAVEPOINT b'), s],
    ...chained('ROLLBACK AND CHAIN'),
  ],
  'SAVEPOINT and ROLLBACK TO': [
    ...[q('BEGIN READ ONLY'), run(wrong), run('SAVEPOINT a'), run('ROLLBACK TO a'), s],
    ...chained('ROLLBACK AND CHAIN'),
  ],
  RELEASE: [
    ...[q('BEGIN READ ONLY'), q('SAVEPOINT a'), run(wrong), run('RELEASE a'), s],
    ...chained('ROLLBACK AND CHAIN'),
  ],
  'a second SAVEPOINT': [
    ...[q('BEGIN READ ONLY'), run('SAVEPOINT a'), run(wrong), run('SAVEPOINT b'), s],
    ...[q('ROLLBACK TO a'), q('RELEASE a'), q(wrong), ...chained('ROLLBACK AND CHAIN')],
  ],
  COMMIT: [
    ...[q('BEGIN READ ONLY'), q('SAVEPOINT a'), run(wrong), run('COMMIT'), s],
    ...chained('ROLLBACK AND CHAIN'),
  ],
  'RELEASE of what is not there': [
    ...[q('BEGIN READ ONLY'), q('SAVEPOINT a'), q('RELEASE b'), ...chained('COMMIT AND CHAIN')],
  ],
};

suite('transaction control that is skipped', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(pipelineSchema);
  });
  test.after(() => proxied.stop());

  for (const [name, messages] of Object.entries(scripts)) {
    test(name, async () => {
      const staged = await runScript(await proxied.session('staged'), messages);
      assert.equal(staged, await runScript(proxied.twin.url, messages));
    });
  }
});
