/** Triggers that see the order of a deletion and of its foreign keys' actions: approval leaves what the statements leave directly. */
import { approveStories } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { suite } from '../helpers/suite.ts';

const { schema, steps } = await readStories('proxy/cascade-order.sql');

suite('triggers and the order of cascades', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  approveStories(test, () => proxied, steps);
});
