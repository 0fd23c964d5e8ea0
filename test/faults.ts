/**
 * The long run of faults: `npm run faults -- [--rounds 50] [--fate alive|frozen|killed] [--lanes 1]`.
 * Each round lets the path of an approval to PostgreSQL go silent at another moment, with the daemon left alive, frozen or killed
 * without a FIN, and prints what it measured. Ends with the slowest of each and `rounds N, anomalies N`; a round is one, too, where
 * production's rows or other approvals waited more than 30 s, the caller more than 60 s, or the pool more than 5 s after the return.
 * STAGE_TEST_PG chooses the major, STAGE_TEST_UPSTREAM a running server.
 */
import { parseArgs } from 'node:util';
import type { BlackHole, Fate } from './faults/black-hole.ts';
import { fallIntoBlackHole, fates, moments } from './faults/black-hole.ts';
import { dropLeftovers } from './helpers/database.ts';
import { defaultMajor, startTestServer } from './runner/server.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    fate: { type: 'string', multiple: true, default: [...fates] },
    lanes: { type: 'string', default: '1' },
  },
});
const limits = { freedMs: 30_000, otherMs: 30_000, answeredMs: 60_000, wholeMs: 5_000 } as const;
type Measure = keyof typeof limits;
const measures = Object.keys(limits) as Measure[];

const server = await startTestServer(
  process.env['STAGE_TEST_UPSTREAM'],
  process.env['STAGE_TEST_PG'] || defaultMajor,
);
process.env['STAGE_TEST_UPSTREAM'] = server.url;
process.env['STAGE_TEST_FILE'] = `faults_${process.pid}`;
const slowest: Record<Measure, number> = { freedMs: 0, otherMs: 0, answeredMs: 0, wholeMs: 0 };
const totals = { begun: 0, rounds: 0, anomalies: 0 };
const combinations = moments.flatMap((moment) =>
  (values.fate as Fate[]).map((fate) => ({ fate, moment })),
);

function account(label: string, hole: BlackHole): void {
  const late = measures
    .filter((name) => (hole[name] ?? 0) > limits[name])
    .map((name) => `${name} ${hole[name]}`);
  for (const name of measures) slowest[name] = Math.max(slowest[name], hole[name] ?? 0);
  const anomalies = [...hole.anomalies, ...late];
  totals.rounds += 1;
  totals.anomalies += anomalies.length > 0 ? 1 : 0;
  const { status = null, error = null, reason = null } = hole.answer ?? {};
  const times = measures.map((name) => `${name} ${hole[name]}`).join(' ');
  process.stdout.write(
    `${label}: ${times}, answered ${[status, error, reason].filter(Boolean).join(' ')}, found ${hole.found}${anomalies.map((text) => `\n  ANOMALY ${text}`).join('')}\n`,
  );
}

async function lane(): Promise<void> {
  while (totals.begun < Number(values.rounds)) {
    const next = combinations[totals.begun % combinations.length];
    totals.begun += 1;
    if (next === undefined) return;
    const { fate, moment } = next;
    account(
      `${fate}, ${moment.lost} of ${moment.word} lost`,
      await fallIntoBlackHole(fate, moment),
    );
  }
}

try {
  await Promise.all(Array.from({ length: Number(values.lanes) }, lane));
  process.stdout.write(
    `slowest: ${JSON.stringify(slowest)}\nrounds ${totals.rounds}, anomalies ${totals.anomalies}\n`,
  );
} finally {
  await dropLeftovers(server.url, process.env['STAGE_TEST_FILE']);
  await server.stop();
}
process.exitCode = totals.anomalies === 0 && totals.rounds > 0 ? 0 : 1;
