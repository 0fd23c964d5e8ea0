/** A task that the service cannot do now, by no fault of a session, is tried again, ever later, and the others are served. */
import { createPolicyUpkeep } from '../../src/review/decisions/follow-policy.ts';
import { createRetries } from '../../src/review/decisions/retries.ts';
import { applyDue, serviceRetries } from '../../src/review/decisions/scheduled.ts';
import type { Ruled } from '../helpers/ruled.ts';
import { startRuled } from '../helpers/ruled.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('review: retries of what the service does without anybody', (test) => {
  let ruled: Ruled;
  test.before(async () => {
    ruled = await startRuled();
    await ruled.rest.database.query(`CREATE TABLE items (id int PRIMARY KEY, stock int);
      INSERT INTO items SELECT g, 0 FROM generate_series(1, 9) g;
      CREATE FUNCTION "fail\n"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
        $$ BEGIN RAISE 'no space' USING ERRCODE = TG_ARGV[0]; END $$`);
  });
  test.after(() => ruled.rest.stop());

  /**
   * Makes every change of the row fail in production with an error about the server. The name of the function has two lines: the first line
   * of the CONTEXT does not tell then that code raised the error.
   */
  const breakRow = (id: number, sqlstate: string) =>
    ruled.rest.database.query(`CREATE TRIGGER fail BEFORE UPDATE ON items FOR EACH ROW WHEN (OLD.id = ${id})
      EXECUTE FUNCTION "fail\n"('${sqlstate}')`);
  const mend = () => ruled.rest.database.query('DROP TRIGGER fail ON items');
  const small = (id: number) =>
    ruled.proposed(`UPDATE items SET stock = stock + 1 WHERE id = ${id}`);
  const due = async (row: number) => {
    const id = await small(row);
    const at = new Date(Date.now() + 3_600_000).toISOString();
    assert.is((await ruled.approve(id, 'ann', { at })).status, 202);
    await ruled.age(id, '2 hours');
    return id;
  };
  const status = async (id: string) => (await ruled.show(id)).status;

  test('pauses grow up to five minutes, and up to ten seconds while something is in use', () => {
    let now = 0;
    const retries = createRetries(
      (error) => error === 'in use',
      () => now,
    );
    const pauses = (error: string) =>
      Array.from({ length: 40 }, () => retries.failed(error, error).pauseMs);
    assert.equal(pauses('away').slice(0, 4), [2_000, 4_000, 8_000, 16_000]);
    assert.is(pauses('away').at(-1), 300_000);
    assert.equal(pauses('in use').slice(0, 5), [2_000, 4_000, 8_000, 10_000, 10_000]);
    assert.equal(retries.paused().sort(), ['away', 'in use']);
    assert.is(retries.failing(), 2);
    now = 20_000;
    assert.equal(retries.paused(), ['away']);
    retries.succeeded('in use');
    assert.is(retries.failed('in use', 'in use').attempts, 1);
    assert.is(retries.failing(), 2);
    // nobody has tried them again
    now = 82_001;
    assert.is(retries.failing(), 1);
    now = 3_000_000;
    assert.is(retries.failing(), 0);
    assert.equal(retries.paused(), []);
    assert.is(retries.failed('away', 'away').attempts, 1);
  });

  for (const sqlstate of ['53100', '57014'])
    test(`a scheduled approval that fails with ${sqlstate} is tried again after growing pauses`, async () => {
      const [failing, other] = [await due(1), await due(2)];
      await breakRow(1, sqlstate);
      let now = 0;
      const retries = serviceRetries(() => now);
      const run = async () =>
        (await applyDue(ruled.rest.db, ruled.rules, retries)).map(({ id, applied, retry }) => [
          id,
          applied?.status ?? retry,
        ]);
      assert.equal(await run(), [
        [failing, { attempts: 1, pauseMs: 2_000 }],
        [other, 'approved'],
      ]);
      now = 1_900;
      assert.equal(await run(), []);
      now = 2_001;
      assert.equal(await run(), [[failing, { attempts: 2, pauseMs: 4_000 }]]);
      now = 5_900;
      assert.equal(await run(), []);
      assert.equal(
        [await status(failing), (await ruled.events(failing)).at(-1)],
        ['proposed', 'scheduled'],
      );
      await mend();
      now = 6_002;
      assert.equal(await run(), [[failing, 'approved']]);
    });

  test('what the policy approves is tried again, too, and not each time', async () => {
    await ruled.set({
      tables: ['items'],
      auto_approve: { max_rows: 1, operations: ['update'], flags: ['share_of_table'] },
    });
    const id = await small(3);
    await ruled.rest.database.query(`CREATE TRIGGER fail BEFORE UPDATE ON stage.session FOR EACH ROW
      WHEN (OLD.id = '${id.slice(5)}') EXECUTE FUNCTION "fail\n"('53100')`);
    const follow = createPolicyUpkeep(ruled.rest.db, ruled.rules);
    const [failed] = (await follow()).approved;
    assert.equal([failed?.id, failed?.retry?.attempts, failed?.approved], [id, 1, null]);
    assert.match(failed?.hindrance ?? '', /lacks connections, memory or disk space/);
    assert.equal((await follow()).approved, []);
    await ruled.rest.database.query('DROP TRIGGER fail ON stage.session');
    assert.equal((await createPolicyUpkeep(ruled.rest.db, ruled.rules)()).approved[0]?.id, id);
    assert.is(await status(id), 'approved');
  });
});
