/**
 * Random transaction control, statements, code and errors: production does not change, no write is sent there as the client sent it, and
 * states and SQLSTATEs are PostgreSQL's own. STAGE_TEST_PROGRAMS (250) is the number of programs, STAGE_TEST_SEED the first seed.
 */

import { drawn, firstSeed } from '../helpers/net.ts';
import { assert, suite } from '../helpers/suite.ts';
import { runCampaign, summary } from './transactions/campaign.ts';

const programs = drawn(60, 'PROGRAMS');
const seed = firstSeed();

suite(`random transactions from seed ${seed}`, (test) => {
  test(
    `${programs} programs`,
    async () => {
      const reports: string[] = [];
      const totals = await runCampaign({
        ...{ seed, programs, lanes: 2, width: 4, reported: 3 },
        tell: (report) => reports.push(report),
      });
      process.stdout.write(`${summary(totals)}\n`);
      assert.is(totals.program, programs);
      assert.is(reports.join('\n\n'), '');
      assert.ok(totals.refusal < programs * 0.75, 'many programs are compared to their end');
    },
    { timeout: Math.max(280_000, 280 * programs) },
  );
});
