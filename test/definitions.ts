/**
 * Random changes of definitions between staged statements: `npm run fuzz:definitions -- [--programs 500] [--seed 1] [--length 60] [--lanes
 * 2] [--tries 100]`. A program whose responses differ from PostgreSQL's is shrunk and printed, and the run continues. STAGE_TEST_PG sets
 * the major version, STAGE_TEST_UPSTREAM a running server. Ends with the counts and `programs N, differences N`.
 */
import { parseArgs } from 'node:util';
import { randomProgram } from './definitions/program.ts';
import { reportOf } from './definitions/report.ts';
import { runProgram } from './definitions/run-program.ts';
import { dropLeftovers } from './helpers/database.ts';
import { defaultMajor, startTestServer } from './runner/server.ts';

const { values } = parseArgs({
  options: {
    programs: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    length: { type: 'string', default: '60' },
    lanes: { type: 'string', default: '2' },
    tries: { type: 'string', default: '100' },
  },
});
const server = await startTestServer(
  process.env['STAGE_TEST_UPSTREAM'],
  process.env['STAGE_TEST_PG'] || defaultMajor,
);
process.env['STAGE_TEST_UPSTREAM'] = server.url;
process.env['STAGE_TEST_FILE'] = `definitions_${process.pid}`;
const totals = { programs: 0, differences: 0, alike: 0, refused: 0 };
const ends = new Map<string, number>();
let seed = Number(values.seed);
const last = seed + Number(values.programs);

async function lane(): Promise<void> {
  while (seed < last) {
    const own = seed++;
    const steps = randomProgram(own, Number(values.length));
    const { difference, alike, refused, end } = await runProgram(steps);
    totals.programs += 1;
    totals.alike += alike;
    totals.refused += refused;
    ends.set(end, (ends.get(end) ?? 0) + 1);
    if (difference === null) continue;
    totals.differences += 1;
    const report = await reportOf(steps, difference, Number(values.tries));
    process.stdout.write(`-- seed ${own}\n${report}\n\n`);
  }
}

try {
  await Promise.all(Array.from({ length: Number(values.lanes) }, lane));
  const reported = [...ends].map(([end, count]) => `${end} ${count}`).join(', ');
  process.stdout.write(
    `${totals.alike} statements alike, ${totals.refused} refused; ${reported}\n`,
  );
  process.stdout.write(`programs ${totals.programs}, differences ${totals.differences}\n`);
} finally {
  await dropLeftovers(server.url, process.env['STAGE_TEST_FILE']);
  await server.stop();
}
process.exitCode = totals.differences === 0 ? 0 : 1;
