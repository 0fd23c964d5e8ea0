/** Values that differ in PostgreSQL differ in the diff, whatever its form. */
import { arrays, enums, ranges } from '../e2e/types/compounds.ts';
import { documents, xml } from '../e2e/types/documents.ts';
import { lookalikes } from '../e2e/types/lookalikes.ts';
import { numbers } from '../e2e/types/numbers.ts';
import { citext, geometry, hstore, identifiers, ltree } from '../e2e/types/others.ts';
import { texts } from '../e2e/types/texts.ts';
import { times } from '../e2e/types/times.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { suite } from '../helpers/suite.ts';
import { ToldApart } from '../helpers/told-apart.ts';

const families = [
  lookalikes,
  numbers,
  texts,
  times,
  enums,
  arrays,
  ranges,
  documents,
  xml,
  identifiers,
  geometry,
  citext,
  hstore,
  ltree,
];

suite('values told apart', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest();
  });
  test.after(() => rest.stop());
  for (const [index, family] of families.entries())
    test(family.name, () => new ToldApart(rest, `f${index}`).judge(family), { timeout: 120_000 });
});
