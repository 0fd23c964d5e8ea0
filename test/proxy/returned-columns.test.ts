/** What INSERT returns to roles that may read some columns of a table only is as directly. */
import { approveStories } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { suite } from '../helpers/suite.ts';

const { schema, steps } = await readStories('proxy/returned-columns.sql');

suite('returned columns', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  approveStories(test, () => proxied, steps);
});
