/**
 * Random sessions as SQL scripts: each leaves the tables as the session sees them. STAGE_TEST_STATEMENTS is the number of scripts,
 * STAGE_TEST_SEED the first seed.
 */
import pg from 'pg';
import { drawn, firstSeed } from '../../helpers/net.ts';
import type { TestRest } from '../../helpers/rest.ts';
import { startTestRest } from '../../helpers/rest.ts';
import { dataOf, schema, stageOnPlots } from '../../helpers/reverting.ts';
import type { StagingDatabase } from '../../helpers/staging-database.ts';
import { createStagingDatabase } from '../../helpers/staging-database.ts';
import { assert, suite } from '../../helpers/suite.ts';
import type { Shell } from '../stage.ts';
import { createShell } from '../stage.ts';

const scripts = drawn(6, 'STATEMENTS');
const first = firstSeed();
/** The number of scripts in one session, each with its own rows. */
const plots = 3;

suite('random diffs as SQL', (test) => {
  let staging: StagingDatabase;
  let rest: TestRest;
  let shell: Shell;
  let client: pg.Client;
  test.before(async () => {
    staging = await createStagingDatabase(schema, dataOf(plots));
    rest = await startTestRest({ database: staging.database });
    shell = await createShell(rest.url);
    client = new pg.Client({ connectionString: staging.database.url });
    await client.connect();
  });
  test.after(async () => {
    await client.end();
    await shell.clear();
    await rest.stop();
    await staging.close();
  });

  test(
    'are scripts that leave the tables as the session sees them',
    async () => {
      for (let seed = first; seed < first + scripts; seed += plots) {
        await staging.reset();
        const session = await staging.open();
        const taken = await stageOnPlots(staging, session, { seed, plots, count: 5 });
        const seen = await staging.contents(session);
        const { stdout } = await shell.run(['diff', session, '-o', 'sql']);
        const about = `seed ${seed}: ${taken.join('; ')}\n${stdout}`;
        const refusal = await client.query(stdout).then(
          () => '',
          (error: Error) => `${error.message}\n${about}`,
        );
        assert.is(refusal, '');
        assert.equal(await staging.contents(), seen, about);
      }
    },
    { timeout: 36_000_000 },
  );
});
