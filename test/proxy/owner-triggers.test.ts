/** Triggers whose functions are SECURITY DEFINER: they fire with the rights of the owners, and of nobody else. */
import { assertAlike } from '../helpers/alike.ts';
import { createRole, testRole } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { suite } from '../helpers/suite.ts';
import { q, run, s } from '../helpers/wire-script.ts';

const [clerk, owner] = [testRole('clerk'), testRole('owner')];
const { schema, stories } = await readStories('proxy/owner-triggers.sql');
const named = (text: string) =>
  text.replaceAll(/\b(clerk|owner)\b/g, (name) => (name === 'clerk' ? clerk : owner).name);

const rows = `
SET LOCAL session_replication_role = replica;
TRUNCATE shop.orders, shop.lines, vault.log, vault.totals;
INSERT INTO shop.orders VALUES (1, 1, 10, 'a'), (2, 1, 20, 'b'), (3, 2, 30, 'c');
INSERT INTO vault.totals VALUES (1, 30), (2, 30);
INSERT INTO shop.lines VALUES (1, 1, 1), (2, 1, 2), (3, 2, 3)`;

/** The error of a table without rights has no position here, see docs/limits.md. */
const arrange = (answers: readonly string[]) =>
  answers.map((answer) => answer.replace(/^(E .*C=42501.*) P=\d+/, '$1'));

suite('triggers with SECURITY DEFINER', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied('SELECT 1');
    await proxied.database.query([clerk, owner].map((role) => createRole(role)).join(''));
    for (const { query } of [proxied.database, proxied.twin]) await query(named(schema));
  });
  test.after(async () => {
    for (const { query } of [proxied.twin, proxied.database])
      await query(`DROP OWNED BY ${clerk.name}, ${owner.name} CASCADE`);
    await proxied.database.query(`DROP ROLE ${clerk.name}, ${owner.name}`);
    await proxied.stop();
  });

  const ways = { simple: q, extended: (text: string) => Buffer.concat([run(text), s]) };
  for (const [name, texts] of Object.entries(stories))
    for (const [way, send] of Object.entries(ways))
      test(
        `${name}: ${way}`,
        async () => {
          for (const { query } of [proxied.database, proxied.twin]) await query(rows);
          await assertAlike(proxied, texts.map(send), { role: clerk, arrange });
        },
        { timeout: 120_000 },
      );
});
