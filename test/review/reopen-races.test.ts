/**
 * Rounds of review concurrent with each other and with writers: `STAGE_TEST_RACES=1000 npm test -- review/reopen-races` is the long form.
 * Whatever wins, state, events, log, production and audit agree, and an approval applies what it names completely.
 */

import { listAudit } from '../../src/review/audit-store.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { reopenSession } from '../../src/review/decisions/reopen.ts';
import { verifyAudit } from '../../src/review/verify-audit.ts';
import { listEvents } from '../../src/staging/event-store.ts';
import { listMutations } from '../../src/staging/mutation-log.ts';
import { getSession } from '../../src/staging/session-store.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import type { Outcome } from '../helpers/racing.ts';
import { demandKnown, race } from '../helpers/racing.ts';
import type { Random } from '../helpers/random.ts';
import { createRandom } from '../helpers/random.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase, diffOf } from '../helpers/staging-database.ts';
import { assert, suite } from '../helpers/suite.ts';

const races = drawn(4, 'RACES');
const seed = firstSeed();

const schema = 'CREATE TABLE account (id int PRIMARY KEY, balance int)';
const data = 'INSERT INTO account SELECT n, 0 FROM generate_series(1, 9) n';

type Kind = 'reopen' | 'propose' | 'approve' | 'approve named' | 'write';

/** The codes with which each may fail. */
const refusals: Readonly<Record<Kind, readonly string[]>> = {
  reopen: ['invalid_transition', 'session_busy'],
  propose: ['invalid_transition', 'session_busy'],
  approve: ['invalid_transition', 'session_busy', 'busy'],
  'approve named': ['invalid_transition', 'session_busy', 'busy', 'digest_mismatch'],
  // the proxy would repeat a write that met another one of its session
  write: ['25006', 'ST002'],
};

suite('races of rounds', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
  });
  test.after(() => staging.close());

  /** Begins all works, each a moment after the other, and waits for them. */
  async function raceOf(session: string, digest: string, random: Random): Promise<Outcome<Kind>[]> {
    const by = { approvedBy: null, digest: null };
    const works: Record<Kind, () => Promise<unknown>> = {
      reopen: () =>
        reopenSession(staging.service, session, {
          message: 'x',
          reopenedAs: 'ann',
          asReviewer: true,
        }),
      propose: () => proposeSession(staging.service, session, 'bot'),
      approve: () => approveSession(staging.service, session, by),
      'approve named': () => approveSession(staging.service, session, { ...by, digest }),
      write: () => staging.stage(session, `UPDATE account SET balance = balance + 10 WHERE id = 2`),
    };
    const kinds: Kind[] = ['reopen', 'write', 'propose', 'approve named', 'write'];
    const extra: Kind[] = ['reopen', 'approve', 'propose'];
    return race(works, [...kinds, random.pick(extra)], random, 40);
  }

  const balances = async () =>
    (
      await staging.database.query<{ id: number; balance: number }>(
        'SELECT id, balance FROM account WHERE balance <> 0 ORDER BY id',
      )
    ).map(({ id, balance }) => `${id}: ${balance}`);

  /** Returns the kinds of a session's events. */
  const kindsOf = async (session: string) =>
    (await listEvents(staging.service, session, { after: '0', limit: 100 })).map(
      ({ kind }) => kind,
    );

  async function check(session: string, outcomes: readonly Outcome<Kind>[]): Promise<void> {
    const label = JSON.stringify(outcomes);
    const done = (...kinds: Kind[]) =>
      outcomes.filter(({ kind, code }) => kinds.includes(kind) && code === 'done').length;
    demandKnown(outcomes, refusals, label);
    const { status, round, mutationCount } = await getSession(staging.service, session);
    const events = await kindsOf(session);
    const count = (kind: string) => events.filter((each) => each === kind).length;
    assert.is(round, 1 + done('propose'), label);
    assert.is(count('proposed'), 1 + done('propose'), label);
    assert.is(count('changes_requested'), done('reopen'), label);
    // a repeated approval of an approved session returns the same, and does nothing
    assert.is(count('approved'), Math.min(1, done('approve', 'approve named')), label);
    const last = events.filter((kind) => kind !== 'created').at(-1);
    const state = { proposed: 'proposed', changes_requested: 'active', approved: 'approved' };
    assert.is(status, state[last as keyof typeof state], label);
    // between two proposals there is a reopening, and nothing happens after an approval
    assert.not.match(
      events.join(' '),
      /proposed proposed|approved \w|requested (changes|approved)/,
    );
    if (done('write') > 0) assert.ok(done('reopen') > 0, label);
    assert.is(mutationCount, 1 + done('write'), label);
    const log = await listMutations(staging.service, session, { limit: 9, offset: 0 });
    assert.is(log.totalCount, 1 + done('write'), label);
    const isApproved = status === 'approved';
    const written = done('write') === 0 ? [] : [`2: ${10 * done('write')}`];
    assert.equal(await balances(), isApproved ? ['1: 1', ...written] : [], label);
    // an approval that named the digest of the first round has approved that round or nothing
    if (done('approve named') > 0) assert.equal([round, written], [1, []], label);
    const audit = { projectId: 'test', sessionId: session, limit: 9, offset: 0 };
    const { totalCount } = await listAudit(staging.service, audit);
    assert.is(totalCount, isApproved ? 1 + done('write') : 0, label);
  }

  test(
    `${races} times, reopen, propose, approve and write at once leave one story (seed ${seed})`,
    async () => {
      const random = createRandom(seed);
      const ends = new Map<string, number>();
      for (let number = 0; number < races; number += 1) {
        const session = await staging.open();
        await staging.stage(session, 'UPDATE account SET balance = balance + 1 WHERE id = 1');
        await proposeSession(staging.service, session, 'bot');
        const { digest } = await diffOf(staging.service, session);
        await check(session, await raceOf(session, digest, random));
        const { status, round } = await getSession(staging.service, session);
        const end = `${status} in round ${round}`;
        ends.set(end, (ends.get(end) ?? 0) + 1);
        if (status === 'approved')
          await staging.database.query('UPDATE account SET balance = 0 WHERE balance <> 0');
      }
      assert.equal((await verifyAudit(staging.service)).firstBad, null);
      if (process.env['STAGE_TEST_RACES'] !== undefined)
        process.stdout.write(`${JSON.stringify(Object.fromEntries(ends))}\n`);
    },
    { timeout: 60_000 + races * 2_000 },
  );
});
