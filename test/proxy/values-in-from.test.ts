/** PL/pgSQL in which a name stands for a value of FROM: it is staged as in PostgreSQL. */
import { approveStories } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { suite } from '../helpers/suite.ts';

const { schema, steps } = await readStories('proxy/values-in-from.sql');

suite('values of functions in FROM, in PL/pgSQL', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  approveStories(test, () => proxied, steps);
});
