/** Functions of extensions in triggers and in functions that write: these are staged, and the functions run as they are. */
import { approveStories } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const { schema, steps } = await readStories('proxy/extensions-in-code.sql');

suite('functions of extensions in code', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  approveStories(test, () => proxied, steps);

  test('one with effects is not called, also under the name of a function of the server', async () => {
    await proxied.database.query(`
      CREATE FUNCTION lower(int) RETURNS float8 VOLATILE LANGUAGE internal AS 'drandom';
      ALTER EXTENSION citext ADD FUNCTION lower(int);
      CREATE FUNCTION write_lower() RETURNS void LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log VALUES (100, lower(1)); END $$`);
    const client = await proxied.connect(
      proxied.daemon.clientUrl(await proxied.daemon.newSession({ reads: 'staged' })),
    );
    assert.is((await rejects(client.query('SELECT write_lower()'))).code, '25006');
  });
});
