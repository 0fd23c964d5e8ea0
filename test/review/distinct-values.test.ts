/** Values that differ in PostgreSQL differ in the diff, in every format. */
import { families } from '../e2e/types/families.ts';
import { lookalikes } from '../e2e/types/lookalikes.ts';
import { DistinctValues } from '../helpers/distinct-values.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { suite } from '../helpers/suite.ts';

suite('values told apart', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest();
  });
  test.after(() => rest.stop());
  for (const [index, family] of [lookalikes, ...families].entries())
    test(family.name, () => new DistinctValues(rest, `f${index}`).check(family), {
      timeout: 120_000,
    });
});
