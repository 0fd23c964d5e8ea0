/** Attempts to get more by rows that are staged in the tables that policies read than production would give. */
import type pg from 'pg';
import type { TestRole } from '../helpers/both-ways.ts';
import { createRole, dropRoles, outcomeOf, testRole } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const [reader, writer, boss, heir] = [
  testRole('reader'),
  testRole('writer'),
  testRole('boss'),
  testRole('heir'),
];
const roles = [reader, writer, boss, heir];
const isMember = 'org IN (SELECT m.org FROM members m WHERE m.who = session_user)';
const tables = ['projects', 'papers', 'plans', 'drafts', 'leaves', 'guides', 'boards'];
const schema = `
CREATE TABLE orgs (id int PRIMARY KEY, closed boolean DEFAULT false); INSERT INTO orgs VALUES (1), (2), (3);
CREATE TABLE members (org int, who text, level int DEFAULT 1, PRIMARY KEY (org, who));
INSERT INTO members VALUES (1, '${boss.name}'), (3, '${boss.name}'), (2, '${writer.name}'), (1, '${heir.name}');
${tables.map((name) => `CREATE TABLE ${name} (id int PRIMARY KEY, org int, name text); INSERT INTO ${name} VALUES (1, 1, 'the secret'), (2, 2, 'known')`).join(';')};
CREATE FUNCTION is_in(p_org int) RETURNS boolean LANGUAGE sql STABLE AS 'SELECT EXISTS (SELECT FROM public.members m WHERE m.org = p_org AND m.who = session_user)';
REVOKE ALL ON FUNCTION is_in(int) FROM PUBLIC; GRANT EXECUTE ON FUNCTION is_in(int) TO ${boss.name};
CREATE FUNCTION by_text(p_org int) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE v boolean; v_text text := 'SELECT NOT closed FROM public.' || concat('or', 'gs') || ' WHERE id = $1'; BEGIN EXECUTE v_text INTO v USING p_org; RETURN v; END $$;
CREATE FUNCTION by_path(p_org int) RETURNS boolean LANGUAGE sql STABLE AS 'SELECT NOT closed FROM orgs WHERE id = p_org';
CREATE FUNCTION allows(p_org int) RETURNS boolean LANGUAGE sql STABLE AS 'SELECT EXISTS (SELECT FROM public.orgs o WHERE o.id = p_org)';
CREATE FUNCTION guides(p_org int) RETURNS boolean LANGUAGE sql STABLE AS 'SELECT public.allows(p_org) AND EXISTS (SELECT FROM public.members m WHERE m.org = p_org AND m.who = session_user)';
${tables.map((name) => `ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY`).join(';')};
CREATE POLICY p ON projects USING (${isMember});
CREATE POLICY p ON papers USING (is_in(org));
CREATE POLICY p ON plans USING (${isMember} AND by_text(org));
CREATE POLICY p ON drafts USING (${isMember} AND by_path(org));
CREATE POLICY p ON leaves USING (${isMember} AND EXISTS (SELECT FROM plans p WHERE p.id = leaves.id - 10));
CREATE POLICY p ON guides USING (guides(org));
CREATE VIEW mine AS SELECT m.org FROM members m JOIN orgs o ON o.id = m.org WHERE m.who = session_user AND NOT o.closed;
CREATE POLICY p ON boards USING (org IN (SELECT org FROM mine)); GRANT SELECT ON mine TO PUBLIC;
GRANT SELECT ON orgs, members TO ${reader.name}, ${writer.name}; GRANT INSERT ON members TO ${writer.name};
GRANT SELECT (org, who) ON members TO ${heir.name}; GRANT ALL ON orgs, members TO ${boss.name};
GRANT SELECT, INSERT, UPDATE, DELETE ON ${tables.join(', ')} TO ${roles.map(({ name }) => name).join(', ')};
`;

suite('attacks by rows that policies read', (test) => {
  let proxied: Proxied;
  const newSession = () => proxied.daemon.newSession({ reads: 'staged' });
  const connect = async (session: string, { name, password }: TestRole) =>
    proxied.connect(proxied.daemon.clientUrl(session, name, password));
  const said = async (client: pg.Client, text: string) =>
    JSON.stringify(await outcomeOf(client, text));
  const join = (org: number, { name }: TestRole) =>
    `INSERT INTO members VALUES (${org}, '${name}')`;
  test.before(async () => {
    proxied = await startProxied('SELECT 1');
    await proxied.database.query(roles.map((role) => createRole(role)).join('') + schema);
  });
  test.after(async () => {
    await dropRoles(proxied, roles);
    await proxied.stop();
  });

  test('a row that a role could not write gives no right', async () => {
    const client = await connect(await newSession(), reader);
    assert.match(await said(client, join(1, reader)), /INSERT 1/);
    assert.match(await said(client, `INSERT INTO projects VALUES (9, 1, 'x')`), /42501/);
    assert.match(await said(client, 'SELECT * FROM projects'), /SELECT 0/);
  });

  test('a row that it could write gives one to rows of the session, and not to those of production', async () => {
    const session = await newSession();
    const other = await connect(session, boss);
    await other.query(`UPDATE projects SET id = 11 WHERE id = 1`);
    await other.query(`INSERT INTO projects VALUES (12, 1, 'new')`);
    const client = await connect(session, writer);
    assert.match(await said(client, 'SELECT id FROM projects'), /SELECT 1"/);
    assert.match(await said(client, join(1, writer)), /INSERT 1/);
    assert.match(
      await said(client, `INSERT INTO projects VALUES (9, 1, 'x') RETURNING id`),
      /\[9\]/,
    );
    assert.match(await said(client, 'SELECT id FROM projects'), /\["\[12\]","\[2\]","\[9\]"\]/);
    for (const text of [
      `UPDATE projects SET name = 'x' WHERE org = 1 AND id NOT IN (9, 12) RETURNING *`,
      'DELETE FROM projects WHERE id IN (1, 11) RETURNING *',
      `INSERT INTO projects VALUES (11, 1, 'x') ON CONFLICT (id) DO UPDATE SET name = projects.name || '!' RETURNING *`,
    ])
      assert.match(await said(client, text), /(UPDATE|DELETE) 0|42501/, text);
    assert.not.match(await said(client, 'SELECT * FROM projects'), /the secret/);
  });

  test('a row that the same statement stages gives no right', async () => {
    const session = await newSession();
    await (await connect(session, boss)).query(join(3, reader));
    const client = await connect(session, reader);
    assert.match(await said(client, `INSERT INTO projects VALUES (8, 3, 'x')`), /INSERT 1/);
    const both = (rest: string) =>
      `WITH a AS (INSERT INTO projects VALUES (7, 3, 'x')), b AS (${join(1, reader)}), c AS (${rest}) SELECT`;
    assert.match(await said(client, both(`INSERT INTO projects VALUES (9, 1, 'x')`)), /42501/);
  });

  test('a role that may read some columns only is left to production', async () => {
    const session = await newSession();
    await (await connect(session, boss)).query(join(2, heir));
    const client = await connect(session, heir);
    assert.match(await said(client, `INSERT INTO projects VALUES (9, 2, 'x')`), /42501.*projects/);
    assert.match(await said(client, `INSERT INTO projects VALUES (9, 1, 'x')`), /INSERT 1/);
  });

  test('rows that a revert has staged give no right', async () => {
    const { daemon } = proxied;
    const session = await newSession();
    const leave = `DELETE FROM members WHERE org = 2`;
    await (await connect(session, boss)).query(leave);
    for (const step of ['propose', 'approve'])
      assert.is((await daemon.call('POST', `/sessions/${session}/${step}`)).status, 200);
    const { status, body } = await daemon.call('POST', `/sessions/${session}/revert`);
    assert.is(status, 201);
    const client = await connect(body.session_id, writer);
    assert.match(await said(client, 'SELECT * FROM members WHERE org = 2'), /SELECT 1/);
    assert.match(await said(client, `INSERT INTO projects VALUES (9, 2, 'x')`), /42501/);
    await proxied.database.query(join(2, writer));
  });

  test('a function is called by those who may call it', async () => {
    const client = await connect(await newSession(), writer);
    await client.query(join(1, writer));
    assert.match(await said(client, `INSERT INTO papers VALUES (9, 1, 'x')`), /42501.*is_in/);
  });

  test('policies that cannot be followed as a whole are left to production', async () => {
    const session = await newSession();
    await (await connect(session, boss)).query('UPDATE orgs SET closed = true WHERE id IN (2, 3)');
    const client = await connect(session, writer);
    await client.query(join(3, writer));
    assert.match(await said(client, `INSERT INTO projects VALUES (9, 3, 'x')`), /INSERT 1/);
    for (const table of ['plans', 'drafts', 'leaves', 'boards'])
      assert.match(await said(client, `INSERT INTO ${table} VALUES (12, 3, 'x')`), /42501/, table);
    assert.match(await said(client, `INSERT INTO boards VALUES (12, 2, 'x')`), /INSERT 1/);
  });

  test('a change of a function counts at once, past the proxy, too', async () => {
    const session = await newSession();
    const client = await connect(session, writer);
    await client.query(join(3, writer));
    assert.match(await said(client, `INSERT INTO guides VALUES (9, 3, 'x')`), /INSERT 1/);
    const past = await proxied.connect(proxied.database.urlFor(writer.name, writer.password));
    await past.query(`SET stage.session = '${session.slice(5)}'`);
    const [row] = await proxied.database.query<{ check: string; note: string }>(
      `SELECT format('stage_upsert_%s.policy_%s_insert', relnamespace, oid) AS check, concat('stage.policies_', oid) AS note
       FROM pg_class WHERE oid = 'public.guides'::regclass`,
    );
    const check = `SELECT ${row?.check}(10, 3, 'x')`;
    assert.match(await said(past, check), /\[null\]/);
    await proxied.database.query(
      `CREATE OR REPLACE FUNCTION allows(p_org int) RETURNS boolean LANGUAGE sql STABLE AS 'SELECT false FROM public.orgs'`,
    );
    assert.not.match(await said(past, check), /\[null\]/);
    await past.query(`SET ${row?.note} = 'x t'`);
    assert.not.match(await said(past, check), /\[null\]/);
    assert.match(await said(client, `INSERT INTO guides VALUES (10, 3, 'x')`), /42501/);
    assert.match(await said(client, 'SELECT * FROM guides'), /SELECT 0/);
  });
});
