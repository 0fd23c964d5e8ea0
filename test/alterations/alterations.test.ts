/**
 * Definitions, rights and roles are altered between the statements of a client, or in the middle of one: responses and rows are those of
 * PostgreSQL. STAGE_TEST_STATEMENTS is the number of cases, STAGE_TEST_SEED the first seed.
 */
import { drawn, firstSeed } from '../helpers/net.ts';
import { assert, suite } from '../helpers/suite.ts';
import { alterations } from './alterations.ts';
import type { Field } from './field.ts';
import { startField } from './field.ts';
import { randomCase, written } from './random-case.ts';
import type { Outcome } from './run-case.ts';
import { runCase } from './run-case.ts';

const cases = drawn(11, 'STATEMENTS');
const first = firstSeed();
/** After this many cases new databases are faster. */
const most = 60;

function report(seed: number, { difference }: Outcome): string {
  return [
    written(randomCase(seed)),
    `--   in ${difference?.text}`,
    `--   directly: ${difference?.direct.join('\n--     ')}`,
    `--   staged: ${difference?.staged.join('\n--     ')}`,
  ].join('\n');
}

suite(`alterations from seed ${first}`, (test) => {
  test('can each be made', async () => {
    const field = await startField();
    try {
      const { named } = await field.prepare(randomCase(0));
      const all = alterations.flat();
      const failed: string[] = [];
      for (const { text } of all)
        await field.twin.query(`BEGIN; ${named(text)}; ROLLBACK`).catch(async (error: Error) => {
          failed.push(`${text}: ${error.message}`);
          await field.twin.query('ROLLBACK');
        });
      assert.equal(failed, []);
      assert.ok(all.length > 250, String(all.length));
    } finally {
      await field.stop();
    }
  });

  test(
    `${cases} cases`,
    async () => {
      const reports: string[] = [];
      const ends = new Map<string, number>();
      const counts = { alike: 0, failed: 0 };
      const runSome = async (field: Field, from: number, to: number) => {
        for (let seed = from; seed < to; seed += 1) {
          const outcome = await runCase(field, randomCase(seed));
          ends.set(outcome.end, (ends.get(outcome.end) ?? 0) + 1);
          counts.alike += outcome.alike;
          counts.failed += outcome.failed;
          if (outcome.difference) {
            reports.push(report(seed, outcome));
            process.stdout.write(`${reports.at(-1)}\n\n`);
          }
        }
      };
      for (let from = first; from < first + cases; from += most) {
        const field = await startField();
        try {
          await runSome(field, from, Math.min(from + most, first + cases));
        } finally {
          await field.stop();
        }
      }
      const reported = [...ends].map(([end, count]) => `${end} ${count}`).join(', ');
      process.stdout.write(
        `cases ${cases}: ${reported}; statements alike ${counts.alike}, errors among them ${counts.failed}\n`,
      );
      assert.is(reports.length, 0, reports.slice(0, 10).join('\n\n'));
      assert.ok(counts.alike > cases);
    },
    { timeout: Math.max(120_000, 20_000 * cases) },
  );
});
