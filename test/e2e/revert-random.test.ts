/**
 * Random sessions are approved, taken back, and that is taken back: all tables are as they were, each time.
 * STAGE_TEST_STATEMENTS sessions, from STAGE_TEST_SEED on.
 */
import { StageError } from '../../src/errors.ts';
import { approveSession } from '../../src/review/approve.ts';
import { proposeSession } from '../../src/review/propose.ts';
import { revertSession } from '../../src/review/revert.ts';
import type { Desk } from '../helpers/desk.ts';
import { createDesk } from '../helpers/desk.ts';
import { createRandom } from '../helpers/random.ts';
import { data, schema } from '../helpers/reverting.ts';
import { assert, suite } from '../helpers/suite.ts';

const sessions = Number(process.env['STAGE_TEST_STATEMENTS'] ?? 25);
const firstSeed = Number(process.env['STAGE_TEST_SEED'] ?? 1);
const plain = { skipChanged: false, revertedAs: null, lockTimeoutMs: 5_000 };

suite('random reverts', (test) => {
  let desk: Desk;
  test.before(async () => {
    desk = await createDesk(schema, data);
  });
  test.after(() => desk.close());

  test(
    'bring all tables back',
    async () => {
      let reverted = 0;
      let statements = 0;
      const refusals: string[] = [];
      for (let seed = firstSeed; seed < firstSeed + sessions; seed += 1) {
        await desk.reset();
        const before = await desk.contents();
        const session = await desk.open();
        const taken = await stageSome(session, seed);
        const script = taken.join('; ');
        statements += taken.length;
        await approve(session);
        const after = await desk.contents();
        try {
          const made = (await revertSession(desk.service, session, plain)).session.id;
          await approve(made);
          assert.equal(await desk.contents(), before, `seed ${seed}: ${script}`);
          const again = (await revertSession(desk.service, made, plain)).session.id;
          await approve(again);
          assert.equal(await desk.contents(), after, `seed ${seed}, again: ${script}`);
          reverted += 1;
        } catch (error) {
          if (!(error instanceof StageError)) throw error;
          refusals.push(`seed ${seed}: ${error.code} ${error.message}\n${script}`);
        }
      }
      assert.equal(refusals, []);
      assert.is(reverted, sessions);
      assert.ok(statements > 2 * sessions, `${statements} statements were taken`);
    },
    { timeout: 36_000_000 },
  );

  async function approve(session: string): Promise<void> {
    await proposeSession(desk.service, session);
    await approveSession(desk.service, session, { approvedBy: null, digest: null });
  }

  /** Stages some random statements, and gives those that were taken. */
  async function stageSome(session: string, seed: number): Promise<string[]> {
    const random = createRandom(seed);
    const taken: string[] = [];
    for (let index = 0; index < 6; index += 1) {
      const statement = statementOf(random.below);
      const isTaken = await desk.stage(session, statement).then(
        () => true,
        () => false,
      );
      if (isTaken) taken.push(statement);
    }
    return taken;
  }
});

type Pick = (count: number) => number;

/** What of the tables it changes is left to chance; much of it is refused, which is as good. */
function statementOf(pick: Pick): string {
  const key = () => 1 + pick(5);
  const name = () => `'n${pick(6)}'`;
  const forms: readonly (() => string)[] = [
    () => `INSERT INTO owner VALUES (${key()}, ${name()})`,
    () => `INSERT INTO pet VALUES (${key()}, ${key()}, ${name()})`,
    () => `INSERT INTO toy (pet) SELECT id FROM pet WHERE id < ${key()}`,
    () => `INSERT INTO node VALUES (${key()}, ${key()}), (${key()}, NULL)`,
    () => `UPDATE owner SET name = ${name()} WHERE id = ${key()}`,
    () => `UPDATE owner SET id = id + ${pick(3) - 1} WHERE id >= ${key()}`,
    () => `UPDATE pet SET id = ${key()}, owner = ${key()} WHERE id = ${key()}`,
    () => `UPDATE pet SET name = name || ${name()}`,
    () => `UPDATE node SET id = ${key()} WHERE id = ${key()}`,
    () => `UPDATE node SET parent = ${key()} WHERE id <> ${key()}`,
    () => `UPDATE odd SET a = a + ${pick(3)}, n = ${pick(9)}.${pick(9)}0, j = '[${pick(3)},  1]'`,
    () => `UPDATE part SET day = day + ${pick(500) - 250}, v = v + 1`,
    () => `DELETE FROM owner WHERE id = ${key()}`,
    () => `DELETE FROM pet WHERE id >= ${key()}`,
    () => `DELETE FROM node WHERE id = ${key()}`,
    () => `DELETE FROM odd WHERE a = ${key()}`,
    () =>
      `WITH d AS (DELETE FROM toy WHERE pet = ${key()} RETURNING pet) INSERT INTO pet SELECT 9, NULL, 'w' FROM d LIMIT 1`,
  ];
  return forms[pick(forms.length)]?.() ?? '';
}
