/** Code with its owner's rights that writes to tables whose policies do not apply to the owner: it is as directly, for an ordinary role. */
import { createDatabase } from '../../src/db/database.ts';
import { unstagedFunctions } from '../../src/overlay/functions/unstaged-functions.ts';
import { unstagedTriggers } from '../../src/overlay/triggers/unstaged-triggers.ts';
import { assertAlike } from '../helpers/alike.ts';
import { createRole, dropRoles, testRole } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, suite } from '../helpers/suite.ts';
import { q } from '../helpers/wire-script.ts';

const [clerk, owner] = [testRole('clerk'), testRole('owner')];
const { schema, stories } = await readStories('proxy/owner-policies.sql');
const named = (text: string) =>
  text.replaceAll(
    /(?<=AUTHORIZATION |ROLE |TO )(clerk|owner)\b/g,
    (name) => (name === 'clerk' ? clerk : owner).name,
  );

suite('code of owners and tables with policies', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied('');
    await proxied.database.query(createRole(clerk) + createRole(owner));
    for (const { query } of [proxied.database, proxied.twin]) await query(named(schema));
  });
  test.after(async () => {
    await dropRoles(proxied, [clerk, owner]);
    await proxied.stop();
  });

  for (const [name, statements] of Object.entries(stories))
    test(
      name,
      async () => {
        await assertAlike(proxied, statements.map(q), { role: clerk });
      },
      { timeout: 120_000 },
    );

  test('is left to production where policies apply to the owner', async () => {
    const { query, url } = proxied.database;
    const tables = ['profiles', 'orgs', 'members'];
    await query(tables.map((each) => `ALTER TABLE app.${each} FORCE ROW LEVEL SECURITY`).join(';'));
    const db = createDatabase({ url });
    const triggers = (await unstagedTriggers(db)).join('\n');
    const functions = (await unstagedFunctions(db)).join('\n');
    await db.close();
    assert.match(triggers, /new_user.*app\.profiles, which is a table with row-level security/);
    assert.match(triggers, /count_member.*app\.orgs, which is a table with row-level security/);
    assert.match(functions, /create_org/);
  });
});
