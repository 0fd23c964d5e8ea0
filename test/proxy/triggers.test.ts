/** Row triggers fire while staging as they will in production: answers, what is read, and what the approval leaves are the same. */
import { approveStories } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { suite } from '../helpers/suite.ts';

const { schema, steps } = await readStories('proxy/triggers.sql');

suite('triggers that fire while staging', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  approveStories(test, () => proxied, steps);
});
