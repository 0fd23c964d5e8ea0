/** A suite of random scripts, one test a seed. */
import { serverMajor } from '../helpers/database.ts';
import { assert, suite } from '../helpers/suite.ts';
import { fuzzSeed } from './report.ts';

const length = 500;
const tries = 40;

export function fuzzSuite(seeds: readonly number[]): void {
  suite('random statements, directly and staged', (test) => {
    for (const seed of seeds) {
      test(
        `seed ${seed}: ${length} statements answer alike and leave the same database`,
        async () => {
          const major = await serverMajor();
          const { count, report } = await fuzzSeed({ seed, length, major, tries });
          assert.is(report, null, report ?? '');
          assert.ok(count >= length);
        },
        { timeout: 180_000 },
      );
    }
  });
}
