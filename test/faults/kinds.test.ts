/** A few rounds of each kind of fault. `npm run faults` is the long form, over all moments and repeatedly. */
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { Arena } from './arena.ts';
import { noTotals, play } from './arena.ts';
import { openCrawls } from './crawls.ts';
import { openKills } from './kills.ts';
import { openLinks } from './links.ts';
import { openPostgresFaults } from './postgres.ts';
import { openRaces } from './races.ts';
import { openRuleKills } from './rule-kills.ts';
import { openSoak } from './soak.ts';

const kinds: Readonly<Record<string, readonly [rounds: number, open: () => Promise<Arena>]>> = {
  'kills of the daemon': [1, openKills],
  'kills of two daemons that follow the rules': [1, () => openRuleKills(2)],
  'races for a session, or for a row': [5, openRaces],
  'faults of PostgreSQL': [2, () => openPostgresFaults()],
  'backends that are ended, and connections that are refused': [
    1,
    () => openPostgresFaults(['terminate', 'refuse']),
  ],
  'links that tear or are slow': [2, openLinks],
  'a path that crawls': [1, () => openCrawls(['upstream'], ['trickle'])],
  'nothing, with clients that leave': [1, () => openSoak(5, 0, 3000)],
};

/** Most of its time is waiting: it is played beside the others. */
const slow = 'a path that crawls';

async function played(name: string): Promise<{ rounds: number; wrong: string[] }> {
  const [rounds, open] = kinds[name] ?? [0, () => Promise.reject(new Error(name))];
  const totals = noTotals();
  const wrong: string[] = [];
  const isOver = () => totals.rounds >= rounds;
  await play(await open(), createRandom(1), totals, isOver, ({ label, anomalies }) => {
    wrong.push(...anomalies.map((text) => `${label}: ${text}`));
  });
  return { rounds: totals.rounds, wrong };
}

suite('what was asked for while something broke', (test) => {
  let beside: ReturnType<typeof played>;
  test.before(() => {
    beside = played(slow);
    beside.catch(() => undefined);
  });

  for (const [name, [rounds]] of Object.entries(kinds)) {
    test(
      `is whole, and is answered as it is: ${name}`,
      async () => {
        assert.equal(await (name === slow ? beside : played(name)), { rounds, wrong: [] });
      },
      { timeout: 240_000 },
    );
  }
});
