/** The names of a policy document: faults are few, whatever the document. */
import type { StageError } from '../../src/errors.ts';
import { oidsOf } from '../../src/review/policy/policy-names.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('policy: names', (test) => {
  test('no more than 20 faults are searched and reported', async () => {
    const tx = { query: async () => [] };
    const tables = Array.from({ length: 100 }, (_, index) => `t${index}`);
    const people = { isOpen: false, names: new Map(), projects: [] };
    const error = (await oidsOf(tx, { rules: [{ name: 'r', tables, max_rows: 1 }] }, people).then(
      () => null,
      (refusal: unknown) => refusal,
    )) as StageError;
    assert.is(error.code, 'invalid_request');
    // the last one is searched, and no other: the message of the error has all that were found
    assert.equal((error.facts['faults'] as string[]).length, 20);
    assert.match(error.message, /tables\[19\]: there is no table "t19"$/);
  });
});
