/**
 * Reverts of one approval concurrent with each other, with their approvals, and with production's writers: `STAGE_TEST_RACES=1000 npm test
 * -- review/revert-races` is the long form. The approved changes are reverted once or not at all, and nothing of production's is
 * overwritten.
 */
import type { Database } from '../../src/db/database.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { revertSession } from '../../src/review/decisions/revert.ts';
import { verifyAudit } from '../../src/review/verify-audit.ts';
import { getSession, listSessions } from '../../src/staging/session-store.ts';
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
  revert: ['conflict_detected', 'session_busy', 'busy', 'invalid_transition'],
  land: ['conflict_detected', 'session_busy', 'busy', 'invalid_transition'],
  change: [],
  write: [],
} as const;
type Kind = keyof typeof refusals;

suite('races of reverts', (test) => {
  let staging: StagingDatabase;
  let other: Database;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
    other = staging.another();
  });
  test.after(() => staging.close());

  const approve = (service: Database, session: string) =>
    approveSession(service, session, { approvedBy: null, digest: null });

  const works = (original: string, made: string[]): Record<Kind, () => Promise<unknown>> => {
    const services = [staging.service, other];
    const nextService = () => {
      services.reverse();
      return services[0] as Database;
    };
    return {
      revert: async () => {
        const asked = { skipChanged: false, revertedAs: 'ann', lockTimeoutMs: 5_000 };
        made.push((await revertSession(nextService(), original, asked)).session.id);
      },
      land: async () => {
        const service = nextService();
        const session = made[0] ?? original;
        await proposeSession(service, session);
        await approve(service, session);
      },
      change: () => staging.database.query('UPDATE account SET note = note + 1 WHERE id = 2'),
      write: () => staging.database.query('UPDATE account SET note = note + 1 WHERE id = 4'),
    };
  };

  /** Approves the sessions that the reverts have created. Returns how many of them were applied. */
  async function landAll(made: readonly string[]): Promise<number> {
    let landed = 0;
    for (const session of made) {
      const { status } = await getSession(staging.service, session);
      if (status === 'active') await proposeSession(staging.service, session);
      if (status !== 'approved')
        await approve(staging.service, session).catch((error) =>
          assert.is(error.code, 'conflict_detected'),
        );
      if ((await getSession(staging.service, session)).status === 'approved') landed += 1;
    }
    return landed;
  }

  const work = async () => {
    const random = createRandom(seed);
    const seen = new Seen();
    for (let round = 0; round < races; round += 1) {
      await staging.reset();
      const original = await staging.open();
      await staging.stage(original, 'UPDATE account SET balance = balance + 10 WHERE id < 4');
      const isEarly = random.below(4) === 0;
      if (!isEarly) {
        await proposeSession(staging.service, original);
        await approve(staging.service, original);
      }
      const made: string[] = [];
      const before = (await listSessions(staging.service, { limit: 1, offset: 0 })).totalCount;
      const rest = random.pick([['change'], ['write'], ['change', 'write']] as const);
      const kinds: Kind[] = ['revert', 'land', 'revert', 'land', ...rest];
      const outcomes = await race(works(original, made), kinds, random, 60);
      const story = `round ${round}: ${isEarly} ${JSON.stringify(outcomes)}`;
      demandKnown(outcomes, refusals, story);
      seen.add(outcomes);
      assert.equal(await brokenInvariants(staging.database), [], story);
      const after = (await listSessions(staging.service, { limit: 1, offset: 0 })).totalCount;
      assert.is(after - before, made.length, story);
      const wasApproved = (await getSession(staging.service, original)).status === 'approved';
      const landed = await landAll(made);
      assert.ok(landed <= 1, story);
      const rows = await staging.database.query('SELECT balance, note FROM account ORDER BY id');
      const stays = wasApproved && landed === 0 ? 10 : 0;
      const count = (kind: Kind) => outcomes.filter((outcome) => outcome.kind === kind).length;
      assert.equal(
        rows.map(({ balance, note }) => [balance, note]),
        [
          [stays, 0],
          [stays, count('change')],
          [stays, 0],
          [0, count('write')],
        ],
        story,
      );
    }
    assert.ok(seen.count('revert done') > 0, String(seen));
    assert.is((await verifyAudit(staging.service)).firstBad, null);
  };
  test(`take an approval back once or not at all, ${races} times`, work, {
    timeout: 60_000 + races * 2_000,
  });
});
