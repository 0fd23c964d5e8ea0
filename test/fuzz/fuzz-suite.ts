/** A suite of random scripts, one test a seed. Two files share the seeds, so that they run side by side. */
import { serverMajor } from '../helpers/database.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import { assert, suite } from '../helpers/suite.ts';
import { fuzzSeed } from './report.ts';

const length = 500;
const tries = 40;

/** @param lane 0 or 1 */
export function fuzzSuite(lane: number): void {
  const scripts = drawn(1, 'SCRIPTS');
  const seeds = Array.from({ length: scripts }, (_, index) => firstSeed() + 2 * index + lane);
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
