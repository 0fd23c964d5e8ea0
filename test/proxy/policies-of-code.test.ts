/** Functions and triggers write to tables with row-level security as they do directly, and approval makes the same tables. */
import { createDatabase } from '../../src/db/database.ts';
import { unstagedTriggers } from '../../src/overlay/triggers/unstaged-triggers.ts';
import { approveStories } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, suite } from '../helpers/suite.ts';

const { schema, steps } = await readStories('proxy/policies-of-code.sql');

suite('policies of what code writes to', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  approveStories(test, () => proxied, steps);

  test('triggers that change rows there fire at approval only', async () => {
    const db = createDatabase({ url: proxied.database.url });
    const unstaged = (await unstagedTriggers(db)).join('\n');
    await db.close();
    for (const name of ['spread', 'sweep'])
      assert.match(unstaged, new RegExp(`${name}.*writes to feed, which is a table with row-`));
    assert.not.match(unstaged, /noted/);
  });
});
