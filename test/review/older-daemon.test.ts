/** A daemon of an earlier release beside this one approves nothing past the policy, and its caller learns why. */
import type { StageError } from '../../src/errors.ts';
import type { Ruled } from '../helpers/ruled.ts';
import { startRuled } from '../helpers/ruled.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

/** How earlier releases call it, with an approver's name and a digest. */
const calls: Readonly<Record<string, readonly (string | null)[]>> = {
  'SELECT stage.approve_session($1, $2, $3, $4)': [],
  'SELECT stage.approve_session($1, $2, $3, $4, $5)': ['false'],
  'SELECT stage.approve_session($1, $2, $3, $4, $5, $6)': ['false', null],
};

suite('review: an older daemon', (test) => {
  let ruled: Ruled;
  test.before(async () => {
    ruled = await startRuled();
  });
  test.after(() => ruled.rest.stop());

  for (const [call, more] of Object.entries(calls))
    test(`${call} applies nothing, with a clear error`, async () => {
      const id = await ruled.proposed('UPDATE products SET stock = stock + 1 WHERE id = 1');
      const values = [id.slice(5), 'ann', 'ann', `sha256:${'0'.repeat(64)}`, ...more];
      const error = await rejects<StageError>(
        ruled.rest.db.transaction((tx) => tx.query(call, values)),
      );
      assert.equal([error.code, error.status], ['upstream_unavailable', 503]);
      assert.match(error.message, /this daemon is of an earlier release than the schema "stage"/);
      assert.is((await ruled.show(id)).status, 'proposed');
      await ruled.rest.call('DELETE', `/sessions/${id}`, {
        headers: { authorization: 'Bearer cat' },
      });
    });
});
