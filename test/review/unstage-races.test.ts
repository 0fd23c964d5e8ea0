/**
 * Rows are unstaged while others write, propose, approve and reopen: `STAGE_TEST_RACES=1000 npm test -- review/unstage-races` is the long
 * form. Whatever wins, no staged row depends on an unstaged one, and production accepts what is approved, as it is shown.
 */
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { reopenSession } from '../../src/review/decisions/reopen.ts';
import { unstageRows } from '../../src/review/edits/unstage.ts';
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

const schema = `CREATE TABLE account (id int PRIMARY KEY, balance int);
CREATE TABLE entry (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, account int REFERENCES account ON DELETE CASCADE)`;
const data = 'INSERT INTO account SELECT n, 0 FROM generate_series(1, 9) n';

/** The codes with which each may fail. */
const refusals = {
  unstage: ['invalid_transition', 'session_busy', 'busy', 'has_dependents', 'no_such_change'],
  'unstage all': ['invalid_transition', 'session_busy', 'busy', 'no_such_change'],
  propose: ['invalid_transition', 'session_busy'],
  approve: ['invalid_transition', 'session_busy', 'busy'],
  reopen: ['invalid_transition', 'session_busy'],
  // the proxy would repeat it
  add: ['25006', 'ST002', '23503'],
  refer: ['25006', 'ST002', '23503'],
} as const;
type Kind = keyof typeof refusals;

suite('races of rows that are taken out', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
  });
  test.after(() => staging.close());

  const works = (session: string): Record<Kind, () => Promise<unknown>> => {
    const take = (table: string, withDependents: boolean) =>
      unstageRows(staging.service, session, {
        rows: [{ table, rowId: null }],
        withDependents,
        unstagedAs: 'ann',
        trialMs: withDependents ? 5_000 : null,
        lockTimeoutMs: 5_000,
      });
    return {
      unstage: () => take('account', false),
      'unstage all': () => take('account', true),
      propose: () => proposeSession(staging.service, session),
      approve: () => approveSession(staging.service, session, { approvedBy: null, digest: null }),
      reopen: () =>
        reopenSession(staging.service, session, {
          message: 'x',
          reopenedAs: 'ann',
          asReviewer: true,
        }),
      add: () =>
        staging.stage(session, 'UPDATE account SET balance = balance + 1 WHERE id IN (1, 20)'),
      refer: () => staging.stage(session, 'INSERT INTO entry (account) VALUES (20)'),
    };
  };

  async function demandOutcome(session: string, done: number, story: string): Promise<void> {
    assert.equal(await brokenInvariants(staging.database), [], story);
    const { status, edits } = await getSession(staging.service, session);
    const events = await listEvents(staging.service, session, { after: '0', limit: 100 });
    const kinds = events.map(({ kind }) => kind);
    assert.is(kinds.filter((kind) => kind === 'unstaged').length, done, story);
    // rows are unstaged after a proposal only if it was reopened, and never after an approval
    assert.not.match(kinds.join(' '), /proposed unstaged|approved \w/);
    assert.is(edits, done, story);
    if (status === 'approved') return;
    const expected = await staging.contents(session);
    if (status === 'active') await proposeSession(staging.service, session);
    await approveSession(staging.service, session, { approvedBy: null, digest: null });
    assert.equal(await staging.contents(), expected, story);
  }

  const work = async () => {
    const random = createRandom(seed);
    const seen = new Seen();
    for (let round = 0; round < races; round += 1) {
      await staging.reset();
      const session = await staging.open();
      await staging.stage(
        session,
        'INSERT INTO account VALUES (20, 5); UPDATE account SET balance = 3 WHERE id = 1',
      );
      const kinds: Kind[] = ['unstage all', 'add', 'refer', 'unstage', 'add', 'propose'];
      const chosen = [...kinds, random.pick(['approve', 'reopen', 'refer'] as const)];
      const outcomes = await race(works(session), chosen, random, 60);
      const story = `round ${round}: ${JSON.stringify(outcomes)}`;
      demandKnown(outcomes, refusals, story);
      seen.add(outcomes);
      const done = outcomes.filter(
        ({ kind, code }) => kind.startsWith('unstage') && code === 'done',
      );
      await demandOutcome(session, done.length, story);
    }
    assert.ok(seen.count('unstage all done') > 0, String(seen));
    assert.is((await verifyAudit(staging.service)).firstBad, null);
  };
  test(`leave one order of events, ${races} times`, work, { timeout: 60_000 + races * 2_000 });
});
