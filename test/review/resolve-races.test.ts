/**
 * Conflicts are resolved while others write, propose, approve and reopen, and production changes: `STAGE_TEST_RACES=1000 npm test --
 * review/resolve-races` is the long form. Whatever wins, no value of production that nobody saw is overwritten.
 */

import { findConflicts } from '../../src/review/conflicts.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { reopenSession } from '../../src/review/decisions/reopen.ts';
import type { Side } from '../../src/review/edits/resolution.ts';
import { resolveConflicts } from '../../src/review/edits/resolve.ts';
import { verifyAudit } from '../../src/review/verify-audit.ts';
import { listEvents } from '../../src/staging/event-store.ts';
import { getSession } from '../../src/staging/session-store.ts';
import { brokenInvariants } from '../helpers/invariants.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import { demandKnown, race, Seen } from '../helpers/racing.ts';
import { createRandom } from '../helpers/random.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, suite } from '../helpers/suite.ts';

const races = drawn(4, 'RACES');
const seed = firstSeed();

const schema = 'CREATE TABLE account (id int PRIMARY KEY, balance int, note int)';
const data = 'INSERT INTO account SELECT n, 0, 0 FROM generate_series(1, 4) n';

/** The codes with which each may fail. */
const refusals = {
  mine: ['invalid_transition', 'session_busy', 'busy', 'no_such_conflict'],
  theirs: ['invalid_transition', 'session_busy', 'busy', 'no_such_conflict'],
  propose: ['invalid_transition', 'session_busy'],
  approve: ['invalid_transition', 'session_busy', 'busy', 'conflict_detected'],
  reopen: ['invalid_transition', 'session_busy'],
  // the proxy would repeat it
  write: ['25006', 'ST002'],
  // production waits for an approval, and is never refused
  change: [],
} as const;
type Kind = keyof typeof refusals;

suite('races of conflicts that are settled', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
  });
  test.after(() => staging.close());

  const settle = (session: string, side: Side) =>
    resolveConflicts(staging.service, session, {
      ...{ resolutions: side, withDependents: false, resolvedAs: 'ann', lockTimeoutMs: 5_000 },
    });
  const approve = (session: string) =>
    approveSession(staging.service, session, { approvedBy: null, digest: null });
  const reopen = (session: string) =>
    reopenSession(staging.service, session, { message: 'x', reopenedAs: 'ann', asReviewer: true });
  const change = () =>
    staging.database.query('UPDATE account SET note = note + 1 WHERE id IN (1, 4)');

  const works = (session: string): Record<Kind, () => Promise<unknown>> => ({
    mine: () => settle(session, 'mine'),
    theirs: () => settle(session, 'theirs'),
    propose: () => proposeSession(staging.service, session),
    approve: () => approve(session),
    reopen: () => reopen(session),
    write: () =>
      staging.stage(session, 'UPDATE account SET balance = balance + 1 WHERE id IN (1, 2)'),
    change,
  });

  async function demandOutcome(session: string, settled: number, story: string): Promise<void> {
    assert.equal(await brokenInvariants(staging.database), [], story);
    const { status, edits } = await getSession(staging.service, session);
    const events = await listEvents(staging.service, session, { after: '0', limit: 100 });
    const kinds = events.map(({ kind }) => kind);
    assert.is(kinds.filter((kind) => kind === 'resolved').length, settled, story);
    // conflicts are resolved after a proposal only if it was reopened, and never after an approval
    assert.not.match(kinds.join(' '), /proposed resolved|approved \w/);
    assert.is(edits, settled, story);
    if (status === 'approved') return;
    if (status === 'proposed') await reopen(session);
    if ((await findConflicts(staging.service, session)).length > 0) await settle(session, 'mine');
    const expected = await staging.contents(session);
    await proposeSession(staging.service, session);
    await approve(session);
    assert.equal(await staging.contents(), expected, story);
  }

  const work = async () => {
    const random = createRandom(seed);
    const seen = new Seen();
    for (let round = 0; round < races; round += 1) {
      await staging.reset();
      const session = await staging.open();
      await staging.stage(session, 'UPDATE account SET balance = balance + 10 WHERE id < 4');
      await change();
      const kinds: Kind[] = ['mine', 'write', 'change', 'theirs', 'write', 'propose', 'mine'];
      const chosen = [...kinds, random.pick(['approve', 'reopen', 'change'] as const)];
      const outcomes = await race(works(session), [...chosen, 'approve'], random, 60);
      const story = `round ${round}: ${JSON.stringify(outcomes)}`;
      demandKnown(outcomes, refusals, story);
      seen.add(outcomes);
      const done = (kind: Kind) =>
        outcomes.filter((outcome) => outcome.kind === kind && outcome.code === 'done').length;
      await demandOutcome(session, done('mine') + done('theirs'), story);
      const notes = await staging.database.query('SELECT note FROM account ORDER BY id');
      const changes = 1 + done('change');
      assert.equal(
        notes.map(({ note }) => note),
        [changes, 0, 0, changes],
        story,
      );
    }
    assert.ok(seen.count('mine done') > 0, String(seen));
    assert.is((await verifyAudit(staging.service)).firstBad, null);
  };
  test(`leave one order of events, ${races} times`, work, { timeout: 60_000 + races * 2_000 });
});
