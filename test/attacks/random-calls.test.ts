/**
 * Random calls of every function of PostgreSQL and of its extensions: none has an effect outside of the session that the documents
 * do not allow. STAGE_TEST_STATEMENTS (600) is the number of calls, STAGE_TEST_SEED the first seed.
 */
import { assert, suite } from '../helpers/suite.ts';
import type { Field } from './calls/field.ts';
import { startField } from './calls/field.ts';
import { report, runCalls, summary } from './calls/run-calls.ts';

const calls = Number(process.env['STAGE_TEST_STATEMENTS'] ?? 600);
const seed = Number(process.env['STAGE_TEST_SEED'] ?? 1);

suite(`random calls from seed ${seed}`, (test) => {
  let field: Field;
  test.before(async () => {
    field = await startField();
  });
  test.after(() => field.stop());

  test(
    `${calls} calls`,
    async () => {
      const reports: string[] = [];
      const totals = await runCalls(field, {
        ...{ seed, calls, width: 50 },
        tell: (leak) => reports.push(report(leak)),
      });
      process.stdout.write(`${summary(totals)}\n`);
      assert.is(totals.calls, calls);
      assert.is(totals.leaks, 0, reports.slice(0, 20).join('\n\n'));
      assert.ok(totals.succeeded > calls / 10, 'calls run');
    },
    { timeout: Math.max(280_000, 1000 * calls) },
  );
});
