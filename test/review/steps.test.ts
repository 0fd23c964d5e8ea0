/** What is reviewed is what runs: the digest covers every step that approval replays, and the diff counts those that it does not show. */
import type { StageError } from '../../src/errors.ts';
import { approveSession } from '../../src/review/approve.ts';
import { proposeSession } from '../../src/review/propose.ts';
import type { Desk } from '../helpers/desk.ts';
import { createDesk, diffOf } from '../helpers/desk.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE t (id int PRIMARY KEY, v text);
CREATE TABLE ledger (id int PRIMARY KEY, amount int);
CREATE TABLE payouts (id int, amount int);
CREATE FUNCTION pay() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN INSERT INTO public.payouts VALUES (NEW.id, NEW.amount); RETURN NULL; END $$;
CREATE TRIGGER pay AFTER INSERT OR UPDATE ON ledger FOR EACH ROW EXECUTE FUNCTION pay();`;
const data = 'INSERT INTO ledger VALUES (1, 10); DELETE FROM payouts';

suite('steps: a session whose changes come to nothing', (test) => {
  let desk: Desk;
  test.before(async () => {
    desk = await createDesk(schema, data);
  });
  test.after(() => desk.close());
  test.afterEach(() => desk.reset());

  const staged = async (statements: string) => {
    const session = await desk.open();
    await desk.stage(session, statements);
    return session;
  };
  const benign = `INSERT INTO t VALUES (800, 'benign')`;
  const hidden = `INSERT INTO ledger VALUES (666, 1000000); UPDATE ledger SET amount = 999 WHERE id = 1;
    UPDATE ledger SET amount = 10 WHERE id = 1; DELETE FROM ledger WHERE id = 666; ${benign}`;

  test('is not approved by the digest of what it comes to', async () => {
    const [reviewed, other] = [await staged(benign), await staged(hidden)];
    const { digest } = await diffOf(desk.service, reviewed);
    assert.is.not((await diffOf(desk.service, other)).digest, digest);
    await proposeSession(desk.service, other);
    const refused = await rejects<StageError>(
      approveSession(desk.service, other, { approvedBy: 'me', digest }),
    );
    assert.is(refused.code, 'digest_mismatch');
    assert.match(String(refused.hint), /read the diff again/i);
    assert.equal((await desk.contents())['payouts'], []);
    const { digest: own } = await diffOf(desk.service, other);
    await approveSession(desk.service, other, { approvedBy: 'me', digest: own });
    assert.is((await desk.contents())['payouts']?.length, 3);
  });

  test('shows how many changes approval replays beyond those that are left', async () => {
    const session = await staged(hidden);
    const reviewed = await diffOf(desk.service, session);
    assert.equal(reviewed.counts, [
      { table: 'ledger', inserts: 0, updates: 0, deletes: 0, furtherChanges: 4 },
      { table: 't', inserts: 1, updates: 0, deletes: 0, furtherChanges: 0 },
    ]);
    await proposeSession(desk.service, session);
    await approveSession(desk.service, session, { approvedBy: 'me', digest: reviewed.digest });
    assert.equal(await diffOf(desk.service, session), reviewed);
  });
});
