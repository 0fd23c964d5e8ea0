/**
 * The long differential run: `npm run fuzz`. Random scripts, directly and staged, until STAGE_TEST_STATEMENTS (100000)
 * statements have run; a difference is shrunk and printed as SQL, and the run goes on with the next seed.
 * STAGE_TEST_PG chooses the major, STAGE_TEST_UPSTREAM a running server, STAGE_TEST_SEED the first seed,
 * STAGE_TEST_LENGTH (200) the statements of one script, STAGE_TEST_TRIES (150) how long a failing one is shrunk.
 */
import { fuzzFeatures, fuzzSeed } from './fuzz/report.ts';
import { dropLeftovers, serverMajor } from './helpers/database.ts';
import { defaultMajor, startTestServer } from './runner/server.ts';

const number = (name: string, fallback: number) => Number(process.env[name] ?? fallback);
const wanted = number('STAGE_TEST_STATEMENTS', 100_000);
const length = number('STAGE_TEST_LENGTH', 200);
const tries = number('STAGE_TEST_TRIES', 150);
const firstSeed = number('STAGE_TEST_SEED', 1);

const server = await startTestServer(
  process.env['STAGE_TEST_UPSTREAM'],
  process.env['STAGE_TEST_PG'] || defaultMajor,
);
process.env['STAGE_TEST_UPSTREAM'] = server.url;
process.env['STAGE_TEST_FILE'] = `fuzz_${process.pid}`;
const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupt.abort());
const totals = { statements: 0, differences: 0 };
try {
  const features = fuzzFeatures(await serverMajor());
  for (let seed = firstSeed; totals.statements < wanted && !interrupt.signal.aborted; seed += 1) {
    const { count, report } = await fuzzSeed({ seed, length, features, tries });
    totals.statements += count;
    if (report === null) continue;
    totals.differences += 1;
    process.stdout.write(`${report}\n`);
  }
  process.stdout.write(
    `PostgreSQL ${features.major}: ${totals.statements} statements, ${totals.differences} differences\n`,
  );
} finally {
  await dropLeftovers(server.url, process.env['STAGE_TEST_FILE']);
  await server.stop();
}
process.exitCode = totals.differences === 0 && totals.statements >= wanted ? 0 : 1;
