/** Splits that are to slip under the policy: each part is under its rules with its own rows, and what counts people or days adds up. */
import type { Ruled } from '../helpers/ruled.ts';
import { as, startRuled } from '../helpers/ruled.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('rest: splits under the policy', (test) => {
  let ruled: Ruled;
  test.before(async () => {
    ruled = await startRuled();
    await ruled.rest.database.query(`CREATE TABLE items (id int PRIMARY KEY, price int, stock int);
      INSERT INTO items SELECT g, 0, 0 FROM generate_series(1, 9) g`);
  });
  test.after(() => ruled.rest.stop());

  /** Stages an update of all nine rows before there are rules, and splits some of them off. Returns the rest and the part. */
  const splitBefore = async (rules: readonly object[], rows: number, column = 'stock') => {
    await ruled.set();
    const rest = await ruled.staged(`UPDATE items SET ${column} = ${column} + 1`);
    await ruled.set(...rules);
    return [rest, await split(rest, rows)] as const;
  };
  const split = async (id: string, rows: number) => {
    const only = Array.from({ length: rows }, (_, at) => ({ table: 'items', row_id: at + 1 }));
    const { status, body } = await ruled.rest.call(
      'POST',
      `/sessions/${id}/split`,
      as('bot', { only }),
    );
    assert.is(status, 201, JSON.stringify(body));
    return String(body.session_id);
  };
  /** Proposes a session. Returns the limits that refuse it. */
  const propose = async (id: string): Promise<readonly string[]> => {
    const { body } = await ruled.rest.call('POST', `/sessions/${id}/propose`, as('bot', {}));
    return (body.violations ?? []).map(({ limit }: { limit: string }) => limit);
  };

  for (const limit of ['max_rows', 'max_rows_per_statement'])
    test(`${limit} holds for each part`, async () => {
      const [large, small] = await splitBefore([{ [limit]: 4 }], 4);
      assert.equal([await propose(large), await propose(small)], [[limit], []]);
      const [rest, part] = await splitBefore([{ [limit]: 4 }], 5);
      assert.equal([await propose(rest), await propose(part)], [[], [limit]]);
    });

  test('what is denied is denied in each part', async () => {
    for (const rule of [
      { tables: ['items'], deny: ['update'] },
      { tables: ['items'], deny_columns: ['price'] },
    ]) {
      const [rest, part] = await splitBefore([rule], 4, 'price');
      const limit = Object.keys(rule)[1] ?? '';
      assert.equal([await propose(part), await propose(rest)], [[limit], [limit]]);
    }
  });

  test('each part needs its own votes, and no author gives one', async () => {
    await ruled.set({ approvals: { count: 2 }, four_eyes: true });
    const { body } = await ruled.rest.call('POST', '/sessions', as('cat', {}));
    const rest = String(body.session_id);
    await ruled.rest.write(rest, 'UPDATE items SET stock = stock + 1');
    const part = await split(rest, 4);
    for (const id of [rest, part]) {
      assert.equal(await propose(id), []);
      assert.is((await ruled.approve(id, 'cat')).body.error, 'four_eyes_required');
    }
    assert.is((await ruled.approve(part, 'ann')).status, 202);
    assert.is((await ruled.show(rest)).approvals.count, 0);
    assert.is((await ruled.approve(part, 'bob')).status, 200);
    assert.is((await ruled.approve(rest, 'bob')).status, 202);
  });
});
