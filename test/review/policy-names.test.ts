/** The names of a policy document: faults are few, whatever the document. */
import type { StageError } from '../../src/errors.ts';
import { oidsOf } from '../../src/review/policy/policy-names.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('policy: names', (test) => {
  test('a name of a token is known in upper or lower case', async () => {
    const people = {
      isOpen: false,
      names: new Map([['ann', { approves: true }]]),
      projects: [],
      fourEyes: false,
    };
    const rules = [{ name: 'r', approvals: { count: 1, from: ['Ann'] } }];
    assert.equal(await oidsOf({ query: async () => [] }, { rules }, people), {});
  });

  test('no more than 20 faults are searched and reported', async () => {
    const tx = { query: async () => [] };
    const from = Array.from({ length: 100 }, (_, index) => `t${index}`);
    let guesses = 0;
    class Names extends Map<string, { readonly approves: boolean }> {
      override keys() {
        guesses += 1;
        return super.keys();
      }
    }
    const people = { isOpen: false, names: new Names(), projects: [], fourEyes: false };
    const rules = [{ name: 'r', approvals: { count: 1, from } }];
    const error = (await oidsOf(tx, { rules }, people).then(
      () => null,
      (refusal: unknown) => refusal,
    )) as StageError;
    assert.is(error.code, 'invalid_request');
    assert.equal([(error.facts['faults'] as string[]).length, guesses], [20, 20]);
    assert.match(error.message, /from\[19\]: no token has the name "t19"$/);
  });
});
