/** BEFORE triggers whose functions are SECURITY DEFINER: they fire with the rights of the owners, in one order with those of the client. */
import { createDatabase } from '../../src/db/database.ts';
import { unstagedTriggers } from '../../src/overlay/triggers/unstaged-triggers.ts';
import { assertAlike } from '../helpers/alike.ts';
import { createRole, dropRoles, testRole } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, suite } from '../helpers/suite.ts';
import { q, run, s } from '../helpers/wire-script.ts';

const [clerk, owner, keeper] = [testRole('clerk'), testRole('owner'), testRole('keeper')];
const roles = [clerk, owner, keeper];
const { schema, stories } = await readStories('proxy/owner-before.sql');
const named = (text: string) =>
  text.replaceAll(
    /(?<=AUTHORIZATION |ROLE |TO |, )(clerk|owner|keeper)\b/g,
    (name) => (name === 'clerk' ? clerk : name === 'owner' ? owner : keeper).name,
  );

const rows = `
SET LOCAL session_replication_role = replica;
TRUNCATE shop.orders, shop.lines, vault.log, shop.tickets, shop.notes, shop."a ""b.c" RESTART IDENTITY;
UPDATE vault.limits SET taken = 0;
INSERT INTO shop.orders VALUES (1, 1, 10, 'a', 'x', 'y'), (2, 1, 20, 'b', 'x', 'y'), (3, 2, 3, 'c', 'x', 'y');
INSERT INTO shop.notes VALUES (1, 1, 'mine'), (2, 2, 'theirs');
INSERT INTO shop.lines VALUES (1, 1, 1), (2, 1, 2), (3, 2, 3)`;

const fires = `
CREATE TABLE fires (id int PRIMARY KEY, who text); GRANT ALL ON fires TO clerk;
CREATE FUNCTION fires() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$ BEGIN NEW.who := ' TO ' || current_user; RETURN NEW; END $$;
ALTER FUNCTION fires() OWNER TO owner;
CREATE FUNCTION after_it() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.who := NEW.who || ' by clerk'; RETURN NEW; END $$;
CREATE TRIGGER a BEFORE INSERT ON fires FOR EACH ROW EXECUTE FUNCTION fires();
CREATE TRIGGER b BEFORE INSERT ON fires FOR EACH ROW EXECUTE FUNCTION after_it()`;

suite('BEFORE triggers with SECURITY DEFINER', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied('SELECT 1');
    await proxied.database.query(roles.map((role) => createRole(role)).join(''));
    for (const { query } of [proxied.database, proxied.twin]) await query(named(schema));
  });
  test.after(async () => {
    await dropRoles(proxied, roles);
    await proxied.stop();
  });

  const ways = { simple: q, extended: (text: string) => Buffer.concat([run(text), s]) };
  for (const [name, texts] of Object.entries(stories))
    for (const [way, send] of Object.entries(ways))
      test(
        `${name}: ${way}`,
        async () => {
          for (const { query } of [proxied.database, proxied.twin]) await query(rows);
          await assertAlike(proxied, texts.map(send), { role: clerk });
        },
        { timeout: 120_000 },
      );

  test('a function that changes is followed by its copies', async () => {
    const { daemon, database } = proxied;
    await database.query(named(fires));
    const session = await daemon.newSession({ reads: 'staged' });
    const client = await proxied.connect(daemon.clientUrl(session, clerk.name, clerk.password));
    let id = 0;
    const makes = async (change: string, end = '') => {
      await database.query(named(change));
      id += 1;
      const text = `INSERT INTO fires VALUES (${id}, '') ${end} RETURNING who`;
      return String((await client.query(text)).rows[0]?.who);
    };
    const after = ' by clerk';
    const upsert = 'ON CONFLICT (id) DO NOTHING';
    assert.is(await makes('SELECT 1'), named(` TO owner${after}`));
    for (const end of ['', upsert]) {
      assert.is(
        await makes('ALTER FUNCTION fires() SECURITY INVOKER', end),
        named(` TO clerk${after}`),
      );
      assert.is(
        await makes('ALTER FUNCTION fires() SECURITY DEFINER', end),
        named(` TO owner${after}`),
      );
      assert.is(
        await makes('ALTER FUNCTION fires() OWNER TO keeper', end),
        named(` TO keeper${after}`),
      );
      assert.is(await makes('ALTER TABLE fires DISABLE TRIGGER b', end), named(` TO keeper`));
      assert.is(await makes('ALTER FUNCTION fires() OWNER TO CURRENT_USER', end), '');
      assert.is(await makes('ALTER TABLE fires ENABLE TRIGGER b', end), '');
      assert.is(
        await makes('ALTER FUNCTION fires() OWNER TO owner', end),
        named(` TO owner${after}`),
      );
    }
    await client.end();
  });

  test('beside one that notifies it fires at approval only', async () => {
    const { query, url } = proxied.database;
    await query(
      `CREATE OR REPLACE FUNCTION after_it() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_notify('a', 'b'); RETURN NEW; END $$`,
    );
    const db = createDatabase({ url });
    const lines = (await unstagedTriggers(db)).join('\n');
    await db.close();
    assert.match(
      lines,
      /trigger b .*notifies before a row is staged, beside triggers with their owners' rights/,
    );
    assert.match(lines, /trigger a .*fires for INSERT together with b, which does not fire/);
  });
});
