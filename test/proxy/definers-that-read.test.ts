/** Functions with SECURITY DEFINER that only read show what the session has staged, as they would directly. */
import { assertAlike } from '../helpers/alike.ts';
import { createRole, dropRoles, testRole } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { suite } from '../helpers/suite.ts';
import { q, run, s } from '../helpers/wire-script.ts';

const [clerk, owner, auditor] = [testRole('clerk'), testRole('owner'), testRole('auditor')];
const { schema, stories } = await readStories('proxy/definers-that-read.sql');
const all = [clerk, owner, auditor];
const roles = { clerk, owner, auditor };
const named = (text: string) =>
  text.replaceAll(
    /(?<=AUTHORIZATION |ROLE |TO )(clerk|owner|auditor)\b/g,
    (name) => roles[name as keyof typeof roles].name,
  );

suite('functions with SECURITY DEFINER that only read', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied('');
    await proxied.database.query(all.map((role) => createRole(role)).join(''));
    for (const { query } of [proxied.database, proxied.twin]) await query(named(schema));
  });
  test.after(async () => {
    await dropRoles(proxied, all);
    await proxied.stop();
  });

  const both = { simple: q, extended: (text: string) => Buffer.concat([run(text), s]) };
  for (const [name, statements] of Object.entries(stories))
    for (const [way, send] of Object.entries(both))
      test(
        `${name}: ${way}`,
        async () => {
          for (const { query } of [proxied.database, proxied.twin]) await query('CALL app.fill()');
          await assertAlike(proxied, statements.map(send), { role: clerk });
        },
        { timeout: 120_000 },
      );
});
