/** Triggers of partitioned tables, and code that writes to these, as PostgreSQL has them; approval makes the same tables. */
import { createDatabase } from '../../src/db/database.ts';
import { unstagedTriggers } from '../../src/overlay/triggers/unstaged-triggers.ts';
import { approveStories } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, suite } from '../helpers/suite.ts';

const { schema, steps } = await readStories('proxy/partitions-with-code.sql');

suite('partitioned tables with code', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  approveStories(test, () => proxied, steps);

  test('triggers fire at approval only where partitions differ from their table', async () => {
    const db = createDatabase({ url: proxied.database.url });
    const unstaged = await unstagedTriggers(db);
    await db.close();
    const differ = 'is one of a table whose partitions have';
    assert.equal(unstaged.sort(), [
      `mixed: trigger b_all ${differ} other triggers`,
      'mixed_1: trigger c_sums is one of a partition FOR EACH STATEMENT: approval names the whole table, and does not fire it',
      'mixed_2: trigger a_own is one of a partition',
      `paused: trigger b_all ${differ} other triggers`,
      `turned: trigger b_all ${differ} their columns in another order`,
    ]);
  });
});
