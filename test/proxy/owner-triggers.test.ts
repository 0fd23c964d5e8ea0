/** Triggers whose functions are SECURITY DEFINER: they fire with the rights of the owners, and of nobody else. */
import { createDatabase } from '../../src/db/database.ts';
import { unstagedTriggers } from '../../src/overlay/triggers/unstaged-triggers.ts';
import { assertAlike } from '../helpers/alike.ts';
import { createRole, dropRoles, testRole } from '../helpers/both-ways.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import { createTestDatabase, serverMajor } from '../helpers/database.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, suite } from '../helpers/suite.ts';
import { q, run, s } from '../helpers/wire-script.ts';

const [clerk, owner, other] = [testRole('clerk'), testRole('owner'), testRole('other')];
const service = testRole('service');
const roles = [clerk, owner, other];
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

const own = 'SECURITY DEFINER SET search_path = public, pg_temp';
/** By the name of table, function and trigger: what the function does, how it fires, and why it does so at approval only. */
const apart: Readonly<Record<string, readonly [string, string, RegExp]>> = {
  early: ['NULL', 'BEFORE INSERT', /runs with its owner's rights before a statement/],
  by_role: ['NULL', 'AFTER INSERT', /has a condition that may depend on the role/],
  by_right: ['NULL', 'AFTER INSERT', /has a condition that may depend on the role/],
  upserts: [
    'INSERT INTO kept VALUES (1) ON CONFLICT DO NOTHING',
    'AFTER INSERT',
    /runs with its owner's rights and uses ON CONFLICT/,
  ],
  calls_upserts: [
    'PERFORM keep(1)',
    'AFTER INSERT',
    /runs with its owner's rights and uses ON CONFLICT/,
  ],
  mixed: ['NULL', 'AFTER UPDATE', /runs with its owner's rights, and others with those of the cl/],
  checked: ['NULL', 'AFTER INSERT', /runs with its owner's rights for rows with types of users/],
};
const conditions: Readonly<Record<string, string>> = {
  by_role: 'WHEN (NEW.a <> current_user)',
  by_right: `WHEN (has_table_privilege(NEW.a, 'SELECT'))`,
};
const tables = `
CREATE FUNCTION is_short(text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN length($1) < 9; END $$;
CREATE DOMAIN short AS text CHECK (is_short(VALUE));
CREATE TABLE kept (id int PRIMARY KEY);
CREATE FUNCTION keep(int) RETURNS void LANGUAGE sql AS 'INSERT INTO kept VALUES ($1) ON CONFLICT DO NOTHING';
${Object.entries(apart)
  .map(
    ([name, [body, fires]]) => `
CREATE TABLE ${name} (id int PRIMARY KEY, a ${name === 'checked' ? 'short' : 'text'});
CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql ${own} AS $$ BEGIN ${body.replace('NULL', 'PERFORM 1')}; RETURN NEW; END $$;
ALTER FUNCTION ${name}() OWNER TO ${owner.name};
CREATE TRIGGER ${name} ${fires} ON ${name} FOR EACH ${name === 'early' ? 'STATEMENT' : 'ROW'} ${conditions[name] ?? ''} EXECUTE FUNCTION ${name}();`,
  )
  .join('')}
CREATE FUNCTION others() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER others AFTER INSERT ON mixed FOR EACH ROW EXECUTE FUNCTION others();
CREATE TABLE fires (id int PRIMARY KEY, a text);
CREATE FUNCTION fires() RETURNS trigger LANGUAGE plpgsql ${own} AS $$ BEGIN RAISE NOTICE '%', current_user; RETURN NEW; END $$;
ALTER FUNCTION fires() OWNER TO ${owner.name};
CREATE TRIGGER fires AFTER INSERT ON fires FOR EACH ROW EXECUTE FUNCTION fires();
GRANT ALL ON ALL TABLES IN SCHEMA public TO ${owner.name}, ${clerk.name};`;

suite('triggers with SECURITY DEFINER', (test) => {
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
          await assertAlike(proxied, texts.map(send), { role: clerk, arrange });
        },
        { timeout: 120_000 },
      );

  test('those that fire at approval only', async () => {
    await proxied.database.query(tables);
    const db = createDatabase({ url: proxied.database.url });
    const lines = await unstagedTriggers(db);
    for (const [name, [, , reason]] of Object.entries(apart))
      assert.match(String(lines.find((line) => line.includes(`trigger ${name} `))), reason);
    assert.is(lines.length, Object.keys(apart).length);
    await proxied.database.query(
      `ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO ${clerk.name}`,
    );
    const more = await unstagedTriggers(db);
    assert.match(more.join('\n'), /trigger fires .* would have a copy that others may call/);
    await proxied.database.query(
      `ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM ${clerk.name};
       ALTER FUNCTION fires() OWNER TO CURRENT_USER`,
    );
    const last = await unstagedTriggers(db);
    assert.match(last.join('\n'), /trigger fires .* which are those of the service account/);
    await proxied.database.query(`ALTER FUNCTION fires() OWNER TO ${owner.name}`);
    await db.close();
  });

  test('a function that changes is followed by its copy', async () => {
    const { daemon, database } = proxied;
    const session = await daemon.newSession();
    const client = await proxied.connect(daemon.clientUrl(session, clerk.name, clerk.password));
    const notices: string[] = [];
    client.on('notice', ({ message = '' }) => notices.push(message));
    let id = 0;
    const says = async (change: string) => {
      await database.query(change);
      id += 1;
      await client.query(`INSERT INTO fires VALUES (${id}, 'x')`);
      return notices.splice(0);
    };
    assert.equal(await says('SELECT 1'), [owner.name]);
    assert.equal(await says('ALTER FUNCTION fires() SECURITY INVOKER'), [clerk.name]);
    assert.equal(await says('ALTER FUNCTION fires() SECURITY DEFINER'), [owner.name]);
    assert.equal(await says(`ALTER FUNCTION fires() OWNER TO ${other.name}`), [other.name]);
    assert.equal(await says(`ALTER TABLE fires RENAME a TO b`), [other.name]);
    assert.equal(await says('ALTER FUNCTION fires() OWNER TO CURRENT_USER'), []);
    assert.equal(await says(`ALTER FUNCTION fires() OWNER TO ${owner.name}`), [owner.name]);
    await client.end();
  });

  test('with a service account that may act as the owner, or not', async () => {
    const database = await createTestDatabase({ template: 'empty' });
    await database.query(`${createRole(service)} GRANT CREATE, TEMPORARY ON DATABASE ${database.name} TO ${service.name};
      ${tables} GRANT ALL ON fires TO ${service.name}`);
    const upstream = database.urlFor(service.name, service.password);
    const daemon = await startTestDaemon({ database, flags: { upstream } });
    const client = await proxied.connect(
      daemon.clientUrl(await daemon.newSession(), clerk.name, clerk.password),
    );
    const notices: string[] = [];
    client.on('notice', ({ message = '' }) => notices.push(message));
    await client.query(`INSERT INTO fires VALUES (1, 'x')`);
    assert.equal(notices, []);
    const inherits = (await serverMajor()) < 16 ? '' : 'WITH INHERIT FALSE';
    await database.query(`GRANT ${owner.name} TO ${service.name} ${inherits}`);
    await client.query(`INSERT INTO fires VALUES (2, 'x')`);
    assert.equal(notices, [owner.name]);
    await database.query(`REVOKE ${owner.name} FROM ${service.name}`);
    await client.query(`INSERT INTO fires VALUES (3, 'x')`);
    assert.equal(notices, [owner.name]);
    await client.end();
    await daemon.stop();
    await database.query(`DROP OWNED BY ${service.name}, ${owner.name} CASCADE`);
    await database.drop();
    await proxied.database.query(`DROP ROLE ${service.name}`);
  });
});
