/**
 * The long run of faults: `npm run faults -- --kind crawls|holes|kills|races|rules|postgres|links|soak|standby [--rounds 50] [--minutes N] [--seed 1]
 * [--lanes 1]`, for holes also `[--fate alive|frozen|killed]`, for a soak `[--clients 20] [--think-ms 0]`. Every round causes a fault at
 * another moment, and checks the outcome of the requests made meanwhile: production, sessions, audit and responses must agree, and repeated
 * requests must succeed. Prints each anomaly. At the end, or after SIGINT, prints the counts and `rounds N, anomalies N`. STAGE_TEST_PG
 * sets the major version, STAGE_TEST_UPSTREAM a running server.
 */
import { parseArgs } from 'node:util';
import type { Arena, Outcome } from './faults/arena.ts';
import { noTotals, play } from './faults/arena.ts';
import type { Fate } from './faults/black-hole.ts';
import { fates } from './faults/black-hole.ts';
import { openCrawls } from './faults/crawls.ts';
import { openHoles } from './faults/holes.ts';
import { openKills } from './faults/kills.ts';
import { openLinks } from './faults/links.ts';
import { openPostgresFaults } from './faults/postgres.ts';
import { openRaces } from './faults/races.ts';
import { openRuleKills } from './faults/rule-kills.ts';
import { openSoak } from './faults/soak.ts';
import { openStandby } from './faults/standby.ts';
import { dropLeftovers } from './helpers/database.ts';
import { createRandom } from './helpers/random.ts';
import { defaultMajor, startTestServer } from './runner/server.ts';

const { values } = parseArgs({
  options: {
    kind: { type: 'string', default: 'holes' },
    rounds: { type: 'string', default: '50' },
    minutes: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: '1' },
    fate: { type: 'string', multiple: true, default: [...fates] },
    lanes: { type: 'string', default: '1' },
    clients: { type: 'string', default: '20' },
    'think-ms': { type: 'string', default: '0' },
  },
});
const kinds: Readonly<Record<string, () => Promise<Arena>>> = {
  crawls: () => openCrawls(),
  holes: () => openHoles(values.fate as Fate[]),
  kills: openKills,
  races: openRaces,
  rules: () => openRuleKills(),
  postgres: openPostgresFaults,
  links: openLinks,
  soak: () => openSoak(Number(values.clients), Number(values['think-ms'])),
  standby: openStandby,
};
const open = kinds[values.kind];
if (open === undefined) throw new Error(`--kind is one of ${Object.keys(kinds).join(', ')}`);

const server = await startTestServer(
  process.env['STAGE_TEST_UPSTREAM'],
  process.env['STAGE_TEST_PG'] || defaultMajor,
);
process.env['STAGE_TEST_UPSTREAM'] = server.url;
process.env['STAGE_TEST_FILE'] = `faults_${process.pid}`;
const totals = noTotals();
const print = (line: string) => process.stdout.write(`${line}\n`);
const end = performance.now() + Number(values.minutes) * 60_000;
let isInterrupted = false;
process.once('SIGINT', () => {
  isInterrupted = true;
});
const isOver = () =>
  isInterrupted || totals.rounds >= Number(values.rounds) || performance.now() > end;
function report({ label, anomalies }: Outcome): void {
  if (anomalies.length > 0 || ['holes', 'standby'].includes(values.kind))
    print(`${totals.rounds}: ${label}`);
  for (const text of anomalies) print(`  ANOMALY ${text}`);
  if (totals.rounds % 50 === 0) print(`... ${totals.rounds} rounds, ${totals.anomalies} anomalies`);
}

try {
  const lane = async (number: number) =>
    play(await open(), createRandom(Number(values.seed) + number), totals, isOver, report);
  await Promise.all(Array.from({ length: Number(values.lanes) }, (_, number) => lane(number)));
  for (const [key, count] of [...totals.counts].sort())
    print(`${String(count).padStart(6)} ${key}`);
  print(`rounds ${totals.rounds}, anomalies ${totals.anomalies}`);
} finally {
  await dropLeftovers(server.url, process.env['STAGE_TEST_FILE']);
  await server.stop();
}
process.exitCode = totals.anomalies === 0 && totals.rounds > 0 ? 0 : 1;
