/**
 * Upgrades from earlier commits: `npm run upgrades -- [--commits 30] [--seed 1] [--shapes NAME ...] [--log FILE] [commit ...]`. It draws
 * commits that changed a migration, a function of the schema or a template, compiles each, and lets it serve a database in which sessions
 * of every kind stage. It upgrades that database to this release while a client is idle in a transaction. Then it compares the behaviour of
 * the sessions, and the catalog, with a database that had this release from the start. STAGE_TEST_PG sets the major version.
 */
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { dropLeftovers } from './helpers/database.ts';
import { defaultMajor, startTestServer } from './runner/server.ts';
import { spread, upgradableCommits } from './upgrades/history.ts';
import { withOldRelease } from './upgrades/old-release.ts';
import { shapes } from './upgrades/shapes.ts';
import { storyOf } from './upgrades/story.ts';
import { Upgrades } from './upgrades/upgrade.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    commits: { type: 'string', default: process.env['STAGE_TEST_COMMITS'] || '30' },
    seed: { type: 'string', default: process.env['STAGE_TEST_SEED'] || '1' },
    shapes: { type: 'string', multiple: true, default: [] },
    log: { type: 'string' },
  },
});

const all = upgradableCommits();
const chosen =
  positionals.length > 0
    ? all.filter(({ hash }) => positionals.some((part) => hash.startsWith(part)))
    : spread(all, Number(values.commits), Number(values.seed));
process.stdout.write(`${chosen.length} of ${all.length} commits\n`);

function wantedShapes() {
  const wanted = values.shapes;
  return shapes.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
}

const server = await startTestServer(
  process.env['STAGE_TEST_UPSTREAM'],
  process.env['STAGE_TEST_PG'] || defaultMajor,
);
process.env['STAGE_TEST_UPSTREAM'] = server.url;
process.env['STAGE_TEST_FILE'] = `upgrades_${process.pid}`;

async function runAsSuperuser(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query(text);
  await client.end();
}

const role = `stage_upgrades_${process.pid}`;
const totals = { differing: 0, broken: 0 };
try {
  await runAsSuperuser(`CREATE ROLE ${role} LOGIN PASSWORD '${role}'`);
  const upgrades = new Upgrades(storyOf(wantedShapes()), role);
  for (const { hash, changed, subject } of chosen) {
    const name = `${hash.slice(0, 7)} ${changed.padEnd(9)}`;
    try {
      const upgrade = await withOldRelease(hash, (program) => upgrades.from(program));
      const { taken, steps, otherwise, waited, differences } = upgrade;
      if (differences.length > 0) totals.differing += 1;
      const counts = `${taken} of ${steps} steps taken, ${otherwise.length} otherwise, ${differences.length} differences`;
      process.stdout.write(`${name} ${counts}${waited ? ', waited' : ''}: ${subject}\n`);
      const reported = [...differences, ...otherwise.map((each) => `then: ${each}`)];
      if (values.log) appendFileSync(values.log, `== ${name} ${counts}\n${reported.join('\n')}\n`);
      else if (differences.length > 0) process.stdout.write(`${differences.join('\n')}\n`);
    } catch (error) {
      totals.broken += 1;
      process.stdout.write(`${name} does not run: ${(error as Error).message.slice(0, 300)}\n`);
    }
  }
  process.stdout.write(
    `${chosen.length} upgrades, ${totals.differing} with differences, ${totals.broken} that did not run\n`,
  );
} finally {
  await dropLeftovers(server.url, process.env['STAGE_TEST_FILE']);
  await runAsSuperuser(`DROP ROLE IF EXISTS ${role}`).catch(() => undefined);
  await server.stop();
}
process.exitCode = totals.differing + totals.broken === 0 && chosen.length > 0 ? 0 : 1;
