/**
 * Random calls of every function of PostgreSQL and of its extensions, by name or not: none has an effect outside of the session.
 * STAGE_TEST_STATEMENTS is the number of calls for each kind of service account, STAGE_TEST_SEED the first seed.
 */
import { drawn, firstSeed } from '../helpers/net.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { TestServer } from '../runner/server.ts';
import { startField, startServer } from './calls/field.ts';
import type { Options, Totals } from './calls/run-calls.ts';
import { report, runCalls, summary } from './calls/run-calls.ts';

const calls = drawn(40, 'STATEMENTS');
const seed = firstSeed();

/** Objects created for calls stay. After this many calls a new database is faster. */
const most = 2000;

suite(`random calls from seed ${seed}`, (test) => {
  let server: TestServer;
  test.before(async () => {
    server = await startServer();
  });
  test.after(() => server.stop());

  const runOn = async (service: 'superuser' | 'ordinary', options: Options): Promise<Totals> => {
    const field = await startField(service);
    try {
      return await runCalls(field, options);
    } finally {
      await field.stop();
    }
  };

  // Checks, policies and the commit check run with the rights of the service account.
  for (const [at, service] of (['superuser', 'ordinary'] as const).entries()) {
    test(
      `${calls} calls, the service ${service}`,
      async () => {
        const reports: string[] = [];
        const tell: Options['tell'] = (leak) => reports.push(report(leak));
        const begin = seed + at * calls;
        for (let from = begin; from < begin + calls; from += most) {
          const count = Math.min(most, begin + calls - from);
          const totals = await runOn(service, { seed: from, calls: count, width: 400, tell });
          process.stdout.write(`${summary(totals)}\n`);
          assert.is(reports.length, 0, reports.slice(0, 20).join('\n\n'));
          assert.ok(count < 100 || totals.succeeded > count / 20, 'calls run');
        }
      },
      { timeout: Math.max(600_000, 4000 * calls) },
    );
  }

  const sentDirectly = async () => {
    const kinds = new Set<string>();
    const tell: Options['tell'] = ({ effects }) => {
      for (const effect of effects) kinds.add(/^(?:[-+] )?(\w+)/.exec(effect)?.[1] ?? '');
    };
    const isComplete = () => kinds.has('item') && kinds.has('held');
    // The extensions of the server decide which functions the first seeds reach.
    for (let from = 1; from < 1000 && !isComplete(); from += 100)
      await runOn('superuser', { seed: from, calls: 100, width: 10, tell, directly: true });
    assert.ok(isComplete(), [...kinds].join(', '));
  };
  test('and past the proxy such calls do have effects', sentDirectly, { timeout: 600_000 });
});
