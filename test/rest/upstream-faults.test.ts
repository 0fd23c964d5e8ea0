/** The response of a review when the upstream has locks, lacks something or is altered meanwhile: never an internal error. */
import pg from 'pg';
import type { StageError } from '../../src/errors.ts';
import { onCurrentOverlays } from '../../src/review/current-overlays.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

/**
 * Errors of the server while an approval is applied, and what the hint says. A function raises them whose name has two lines: the first line
 * of the CONTEXT does not tell then that code raised the error.
 */
const troubles: Readonly<Record<string, RegExp>> = {
  '53100': /what it lacks/,
  '53200': /max_locks_per_transaction/,
  '57014': /try again/,
  '58030': /log of PostgreSQL/,
  '08006': /PostgreSQL is running/,
};

suite('rest: reviews while the upstream is in trouble', (test) => {
  let rest: TestRest;
  let holder: pg.Client;
  test.before(async () => {
    rest = await startTestRest({ approveLockTimeoutMs: 150 });
    await rest.database.query(`
      CREATE FUNCTION public."fail\n"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
      BEGIN RAISE EXCEPTION 'it went wrong' USING ERRCODE = NEW.note; END $$;
      CREATE TRIGGER fail AFTER UPDATE ON orders FOR EACH ROW WHEN (length(NEW.note) = 5) EXECUTE FUNCTION public."fail\n"()`);
    holder = new pg.Client({ connectionString: rest.database.url });
    await holder.connect();
  });
  test.after(async () => {
    await holder.end();
    await rest.stop();
  });

  async function proposed(statement: string): Promise<string> {
    const id = await rest.newSession();
    await rest.write(id, statement);
    await rest.call('POST', `/sessions/${id}/propose`);
    return id;
  }

  test('a row in the way: 503 busy, when to try again, and no word of a refusal', async () => {
    const id = await proposed(`UPDATE orders SET note = 'x' WHERE id = 1`);
    await holder.query('BEGIN; UPDATE orders SET note = note WHERE id = 1');
    const { status, headers, body } = await rest.call('POST', `/sessions/${id}/approve`);
    await holder.query('ROLLBACK');
    assert.equal([status, body.error, body.sqlstate], [503, 'busy', '55P03']);
    assert.ok(Number(headers['retry-after']) > 0);
    assert.is((await rest.call('POST', `/sessions/${id}/approve`)).status, 200);
  });

  for (const [sqlstate, hint] of Object.entries(troubles)) {
    test(`${sqlstate} where it is applied: 503, and no advice to throw work away`, async () => {
      const id = await proposed(`UPDATE orders SET note = '${sqlstate}' WHERE id = 2`);
      const { status, body } = await rest.call('POST', `/sessions/${id}/approve`);
      assert.equal([status, body.error], [503, 'upstream_unavailable'], JSON.stringify(body));
      assert.match(body.hint, hint);
      assert.not.match(body.hint, /reject|discard|delete/i);
      assert.is((await rest.call('GET', `/sessions/${id}`)).body.status, 'proposed');
    });
  }

  test('tables that are altered under the work: it is done again on what they are, but once', async () => {
    const id = await proposed(`UPDATE orders SET note = 'y' WHERE id = 3`);
    const uuid = id.slice('sess_'.length);
    let tries = 0;
    const altered = (times: number) => async () => {
      tries += 1;
      if (tries <= times) await rest.db.query('SELECT dropped FROM stage.session');
      return tries;
    };
    assert.is(await onCurrentOverlays(rest.db, uuid, altered(1)), 2);
    tries = 0;
    const error = await rejects<StageError>(onCurrentOverlays(rest.db, uuid, altered(2)));
    assert.equal([error.code, error.facts['sqlstate'], tries], ['busy', '42703', 2]);
  });
});
