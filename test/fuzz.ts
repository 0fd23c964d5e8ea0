/**
 * The long differential run: `npm run fuzz`. It runs random scripts, directly and staged, until STAGE_TEST_STATEMENTS (100000) statements
 * have run. A difference is shrunk and printed as SQL, and the run continues with the next seed. At the end it prints how often each form
 * occurred, and how often it succeeded.
 * +
 * STAGE_TEST_PG sets the major version, STAGE_TEST_UPSTREAM a running server, STAGE_TEST_SEED the first seed, STAGE_TEST_LENGTH (500) the
 * number of statements of one script, STAGE_TEST_TRIES (150) the number of attempts to shrink a failed one, STAGE_TEST_LANES (2) the number
 * of scripts that run at once. SIGTERM and SIGINT end it before the next statement, with the counts of what has run.
 */
import { createCoverage } from './fuzz/coverage.ts';
import { fuzzSeed } from './fuzz/report.ts';
import { dropLeftovers, serverMajor } from './helpers/database.ts';
import { defaultMajor, startTestServer } from './runner/server.ts';

const number = (name: string, fallback: number) => Number(process.env[name] ?? fallback);
const wanted = number('STAGE_TEST_STATEMENTS', 100_000);
const length = number('STAGE_TEST_LENGTH', 500);
const tries = number('STAGE_TEST_TRIES', 150);
const lanes = number('STAGE_TEST_LANES', 2);
const firstSeed = number('STAGE_TEST_SEED', 1);
let nextSeed = firstSeed;

const server = await startTestServer(
  process.env['STAGE_TEST_UPSTREAM'],
  process.env['STAGE_TEST_PG'] || defaultMajor,
);
process.env['STAGE_TEST_UPSTREAM'] = server.url;
process.env['STAGE_TEST_FILE'] = `fuzz_${process.pid}`;
const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupt.abort());
const totals = { begun: 0, statements: 0, differences: 0 };
const coverage = createCoverage();

async function lane(major: number): Promise<void> {
  while (totals.begun < wanted && !interrupt.signal.aborted) {
    totals.begun += length;
    const seed = nextSeed++;
    const options = { seed, length, major, tries, coverage, signal: interrupt.signal };
    const { count, report } = await fuzzSeed(options);
    totals.begun += count - length;
    totals.statements += count;
    if (report === null) continue;
    totals.differences += 1;
    process.stdout.write(`${report}\n`);
  }
}

try {
  const major = await serverMajor();
  const ended = (error: unknown) => {
    if (!interrupt.signal.aborted) throw error;
  };
  await Promise.all(Array.from({ length: lanes }, () => lane(major).catch(ended)));
  const lines = [
    ...coverage.lines(),
    `PostgreSQL ${major}, seeds ${firstSeed} to ${nextSeed - 1}: ${totals.statements} statements, ` +
      `${totals.differences} differences, ${coverage.refusals()} refused as docs/limits.md says`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
} finally {
  await dropLeftovers(server.url, process.env['STAGE_TEST_FILE']);
  await server.stop();
}
process.exitCode = totals.differences === 0 && totals.statements >= wanted ? 0 : 1;
