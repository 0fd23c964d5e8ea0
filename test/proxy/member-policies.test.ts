/** Policies that read other tables count what the session has staged there: an organisation, its members, and what these may do. */
import { assertAlike } from '../helpers/alike.ts';
import { createRole, dropRoles, outcomeOf, testRole } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, suite } from '../helpers/suite.ts';
import { q } from '../helpers/wire-script.ts';

const [clerk, owner] = [testRole('clerk'), testRole('owner')];
const { schema, stories } = await readStories('proxy/member-policies.sql');
const named = (text: string) =>
  text.replaceAll(
    /(?<=AUTHORIZATION |ROLE |TO )(clerk|owner)\b/g,
    (name) => (name === 'clerk' ? clerk : owner).name,
  );

suite('policies that read other tables', (test) => {
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

  test('change, with what they call and read', async () => {
    const { daemon, database, twin } = proxied;
    const session = await daemon.newSession({ reads: 'staged' });
    const clients = await Promise.all(
      [
        daemon.clientUrl(session, clerk.name, clerk.password),
        twin.urlFor(clerk.name, clerk.password),
      ].map(proxied.connect),
    );
    let id = 300;
    const tryAll = async () => {
      id += 1;
      for (const text of [
        `INSERT INTO app.projects VALUES (${id}, 30, 'p${id}')`,
        `INSERT INTO app.tasks VALUES (${id}, 301, 't${id}') RETURNING *`,
        `UPDATE app.orgs SET name = 'n${id}' WHERE id = 30`,
        'SELECT * FROM app.projects ORDER BY id',
        'SELECT * FROM app.tasks ORDER BY id',
      ]) {
        const [staged, direct] = await Promise.all(clients.map((each) => outcomeOf(each, text)));
        assert.equal(staged, direct, text);
      }
    };
    for (const text of [
      `SET request.uid = '30'`,
      `INSERT INTO app.orgs VALUES (30, 'thirtieth')`,
      'INSERT INTO app.members (org, person) VALUES (30, 30)',
    ])
      for (const each of clients) await each.query(text);
    await tryAll();
    for (const change of [
      `ALTER POLICY "work" ON app.projects USING (org IN (SELECT m.org FROM app.members m WHERE m.person = app.uid() AND m.role <> 'owner'))`,
      `ALTER POLICY "work" ON app.projects USING (app.is_member(org))`,
      'ALTER TABLE app.members ADD COLUMN since int DEFAULT 1',
      `CREATE OR REPLACE FUNCTION app.is_member(p_org int) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS 'SELECT p_org = 30 AND EXISTS (SELECT FROM app.members m WHERE m.since > 1)'`,
      `CREATE OR REPLACE FUNCTION app.is_member(p_org int) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS 'SELECT EXISTS (SELECT FROM app.members m WHERE m.org = p_org AND m.person = app.uid())'`,
      `CREATE POLICY "none" ON app.members AS RESTRICTIVE FOR SELECT USING (false)`,
      'ALTER TABLE app.tasks DISABLE ROW LEVEL SECURITY',
      'DROP POLICY "none" ON app.members',
      'ALTER TABLE app.members FORCE ROW LEVEL SECURITY',
    ]) {
      for (const { query } of [database, twin]) await query(change);
      await tryAll();
    }
  });
});
