/**
 * Sessions are split, and approved in part, while others write, propose and reopen: `STAGE_TEST_RACES=1000 npm test -- review/split-races`
 * is the long form. Whatever wins, each staged row is in one session, with all that it depends on, and every session is applied or in
 * conflict with another one as a whole.
 */
import { StageError } from '../../src/errors.ts';
import { JsonText } from '../../src/model/json.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { reopenSession } from '../../src/review/decisions/reopen.ts';
import { splitSession } from '../../src/review/edits/split.ts';
import { verifyAudit } from '../../src/review/verify-audit.ts';
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

const late = ['invalid_transition', 'session_busy', 'busy'] as const;
const refusals = {
  split: [...late, 'no_such_change', 'not_splittable'],
  'split tied': [...late, 'has_dependents', 'no_such_change', 'not_splittable'],
  propose: late,
  'approve part': [...late, 'no_such_change'],
  reopen: late,
  // the proxy would repeat it
  add: ['25006', 'ST002', '23503'],
  refer: ['25006', 'ST002', '23503'],
} as const;
type Kind = keyof typeof refusals;

suite('races of splits', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
  });
  test.after(() => staging.close());

  const account = (id: number) => [{ table: 'account', rowId: new JsonText(String(id)) }];

  const works = (session: string): Record<Kind, () => Promise<unknown>> => {
    const split = (id: number) =>
      splitSession(staging.service, session, {
        rows: account(id),
        withTies: false,
        splitAs: 'ann',
        lockTimeoutMs: 5_000,
      });
    return {
      split: () => split(1),
      'split tied': () => split(20),
      propose: () => proposeSession(staging.service, session),
      'approve part': () =>
        approveSession(staging.service, session, {
          approvedBy: null,
          digest: null,
          only: { rows: account(20), withTies: true },
        }),
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

  /** Approves all sessions that are left. One may be in conflict with another that has the same row, and with nothing else. */
  async function demandOutcome(story: string): Promise<void> {
    assert.equal(await brokenInvariants(staging.database), [], story);
    const open = await staging.database.query<{ id: string; status: string }>(
      `SELECT 'sess_' || replace(id::text, '-', '') AS id, status FROM stage.session WHERE status IN ('active', 'proposed') ORDER BY created_at`,
    );
    for (const { id, status } of open) {
      if (status === 'active') await proposeSession(staging.service, id);
      await approveSession(staging.service, id, { approvedBy: null, digest: null }).catch(
        (error: unknown) => {
          assert.is(error instanceof StageError && error.code, 'conflict_detected', story);
        },
      );
    }
    await staging.database.query(
      `UPDATE stage.session SET status = 'rejected', rejected_at = now() WHERE status = 'proposed'`,
    );
  }

  const work = async () => {
    const random = createRandom(seed);
    const seen = new Seen();
    for (let round = 0; round < races; round += 1) {
      await staging.reset();
      const session = await staging.open();
      await staging.stage(
        session,
        'INSERT INTO account VALUES (20, 5); UPDATE account SET balance = 3 WHERE id IN (1, 2)',
      );
      const kinds: Kind[] = ['split', 'add', 'refer', 'split tied', 'add', 'propose'];
      const chosen = [...kinds, random.pick(['approve part', 'reopen', 'refer'] as const)];
      const outcomes = await race(works(session), chosen, random, 60);
      const story = `round ${round}: ${JSON.stringify(outcomes)}`;
      demandKnown(outcomes, refusals, story);
      seen.add(outcomes);
      await demandOutcome(story);
    }
    assert.ok(seen.count('split done') + seen.count('split tied done') > 0, String(seen));
    assert.is((await verifyAudit(staging.service)).firstBad, null);
  };
  test(`leave each row in one session, ${races} times`, work, { timeout: 60_000 + races * 2_000 });
});
