/**
 * The long run of random transactions: `npm run attack:random -- --programs 100000 --seed S [--lanes 2] [--told 20] [--kinds leak,hang]`. A
 * failed program is shrunk and printed, up to `--told` of each kind, and the run continues. STAGE_TEST_PG sets the major version,
 * STAGE_TEST_UPSTREAM a running server. SIGTERM and SIGINT end it early. Ends with `programs N, leaks N, hangs N, differences N, ...`; any
 * of these is a failure.
 */
import { parseArgs } from 'node:util';
import { runCampaign, summary } from './attacks/transactions/campaign.ts';
import { dropLeftovers } from './helpers/database.ts';
import { defaultMajor, startTestServer } from './runner/server.ts';

const { values } = parseArgs({
  options: {
    programs: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '2' },
    reported: { type: 'string', default: '20' },
    kinds: { type: 'string', default: 'leak,hang,difference,raw write' },
  },
});
const ending = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => ending.abort());
const server = await startTestServer(
  process.env['STAGE_TEST_UPSTREAM'],
  process.env['STAGE_TEST_PG'] || defaultMajor,
);
process.env['STAGE_TEST_UPSTREAM'] = server.url;
process.env['STAGE_TEST_FILE'] = `random_${process.pid}`;
try {
  const totals = await runCampaign({
    ...{ seed: Number(values.seed), programs: Number(values.programs) },
    ...{ lanes: Number(values.lanes), width: 4, reported: Number(values.reported) },
    kinds: values.kinds.split(','),
    signal: ending.signal,
    tell: (report) => process.stdout.write(`${report}\n\n`),
  });
  process.stdout.write(`${summary(totals)}\n`);
  const faults = totals.leak + totals.hang + totals.difference + totals['raw write'];
  process.exitCode = faults === 0 ? 0 : 1;
} finally {
  await dropLeftovers(server.url, process.env['STAGE_TEST_FILE']);
  await server.stop();
}
