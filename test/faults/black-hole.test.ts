/** Approvals whose connection to PostgreSQL stops transmitting. `npm run faults` is the long form, over all moments and repeatedly. */
import type { Moment } from '../helpers/fault-proxy.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { Fate } from './black-hole.ts';
import { fallIntoBlackHole } from './black-hole.ts';

const cases: readonly (readonly [Fate, Moment])[] = [
  ['alive', { word: 'COMMIT', lost: 'answer' }],
  ['alive', { word: 'stage.approve_session(', lost: 'message' }],
  ['frozen', { word: 'stage.approve_session(', lost: 'message' }],
  ['killed', { word: 'stage_data.lock_', lost: 'answer' }],
];

suite('an approval whose path to PostgreSQL goes silent', (test) => {
  const outcomes: ReturnType<typeof fallIntoBlackHole>[] = [];
  // all at once, each with its own daemons, because most of the time is waiting
  test.before(() => {
    outcomes.push(...cases.map(([fate, moment]) => fallIntoBlackHole(fate, moment)));
    for (const outcome of outcomes) outcome.catch(() => undefined);
  });

  for (const [index, [fate, moment]] of cases.entries()) {
    test(
      `lets go of production, the daemon ${fate}, the ${moment.lost} of ${moment.word} lost`,
      async () => {
        assert.equal((await outcomes[index])?.anomalies, []);
      },
      { timeout: 120_000 },
    );
  }
});
