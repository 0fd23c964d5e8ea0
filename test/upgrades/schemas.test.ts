/** The schema `stage` as commits of the history created it, upgraded: it equals the one that this release creates. */
import { createDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import { assert, MissingProgram, suite } from '../helpers/suite.ts';
import { catalogOf, without } from './catalog.ts';
import { spread, upgradableCommits } from './history.ts';
import { oldSchema } from './old-release.ts';

/** Returns the catalog after an upgrade of that schema. */
async function upgradedFrom(schema: string): Promise<string[]> {
  const database = await createTestDatabase({ template: 'empty' });
  const service = createDatabase({ url: database.url });
  try {
    await database.query(schema);
    await migrate(service);
    return await catalogOf(database);
  } finally {
    await service.close();
    await database.drop();
  }
}

suite('schemas of the history', (test) => {
  test('become what a fresh install makes', async () => {
    const commits = spread(upgradableCommits(), drawn(5, 'COMMITS'), firstSeed());
    if (commits.length === 0)
      throw new MissingProgram('the history of the project, in a full clone');
    const fresh = await upgradedFrom('');
    for (const { hash, subject } of commits) {
      const upgraded = await upgradedFrom(await oldSchema(hash));
      const reported = `${hash} ${subject}`;
      assert.equal(without(upgraded, fresh), [], reported);
      assert.equal(without(fresh, upgraded), [], reported);
    }
  });
});
