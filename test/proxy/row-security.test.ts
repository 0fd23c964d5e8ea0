/** Row-level security and grants: the connecting role sees and writes what PostgreSQL would let it, with the staged rows included. */
import { assertSameAs, createRole, outcomeOf, testRole } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const [ann, bob, boss, owner] = [
  testRole('ann'),
  testRole('bob'),
  testRole('boss'),
  testRole('owner'),
];
const everyone = [ann, bob, boss, owner].map(({ name }) => name).join(', ');

const roles =
  [ann, bob, owner].map((role) => createRole(role)).join('') + createRole(boss, 'BYPASSRLS');

const schema = `
CREATE TABLE doc (id int PRIMARY KEY, who text NOT NULL DEFAULT current_user, body text, secret boolean NOT NULL DEFAULT false,
  code text UNIQUE, len int GENERATED ALWAYS AS (length(body)) STORED, CHECK (body <> 'bad'));
ALTER TABLE doc ENABLE ROW LEVEL SECURITY;
CREATE TABLE member (name text PRIMARY KEY, level int);
INSERT INTO member VALUES ('${ann.name}', 1), ('${bob.name}', 2);
CREATE POLICY mine ON doc USING (who = current_user) WITH CHECK (who = current_user AND length(body) < 20);
CREATE POLICY open ON doc FOR SELECT USING (NOT secret);
CREATE POLICY level ON doc FOR SELECT TO ${ann.name}
  USING (EXISTS (SELECT 1 FROM member WHERE member.name = current_user AND member.level >= length(doc.code)));
CREATE POLICY "no Zs" ON doc AS RESTRICTIVE FOR ALL USING (true) WITH CHECK (body NOT LIKE 'z%');
CREATE POLICY "short" ON doc AS RESTRICTIVE FOR UPDATE USING (coalesce(len, 0) < 15);
INSERT INTO doc (id, who, body, secret, code) VALUES (1, '${ann.name}', 'a1', false, 'a'), (2, '${ann.name}', 'a2', true, 'b'),
  (3, '${bob.name}', 'b3', false, 'cc'), (4, '${bob.name}', 'b4', true, 'd'), (5, '${bob.name}', 'b5', true, 'eee'),
  (6, '${ann.name}', 'longer than fifteen', false, 'long');
CREATE TABLE forced (id int PRIMARY KEY, v text);
ALTER TABLE forced ENABLE ROW LEVEL SECURITY;
CREATE TABLE none (id int PRIMARY KEY, v text); ALTER TABLE none ENABLE ROW LEVEL SECURITY; INSERT INTO none VALUES (1, 'x');
CREATE TABLE owned (id int PRIMARY KEY, v text); ALTER TABLE owned ENABLE ROW LEVEL SECURITY; ALTER TABLE owned OWNER TO ${owner.name};
INSERT INTO owned VALUES (1, 'x');
CREATE TABLE doc_note (id int PRIMARY KEY, doc int REFERENCES doc ON DELETE CASCADE);
INSERT INTO doc_note VALUES (1, 1), (2, 4);
CREATE TABLE partly (id int PRIMARY KEY, a text, b text, c int DEFAULT 7);
INSERT INTO partly VALUES (1, 'a', 'b');
CREATE TABLE hidden (id int PRIMARY KEY, v text UNIQUE); INSERT INTO hidden VALUES (1, 'x');
GRANT SELECT, INSERT, UPDATE, DELETE ON doc, doc_note, none TO ${everyone};
GRANT SELECT ON member TO ${everyone};
GRANT SELECT, UPDATE (a), INSERT (id, a) ON partly TO ${ann.name};
GRANT SELECT ON partly TO ${bob.name};
GRANT SELECT (id), INSERT, UPDATE ON partly TO ${boss.name};
`;

const stories: Record<string, [typeof ann | null, readonly string[]]> = {
  'reads and writes of a role': [
    ann,
    [
      'SELECT * FROM doc',
      `UPDATE doc SET body = body || '!' RETURNING id, body`,
      'SELECT * FROM doc',
      'DELETE FROM doc WHERE id IN (2, 3, 4) RETURNING id',
      `INSERT INTO doc (id, body, code) VALUES (10, 'new', 'x') RETURNING *`,
      `UPDATE doc SET secret = true WHERE id = 10`,
      'SELECT id, len FROM doc',
      `UPDATE doc SET body = 'q' WHERE id = 6`,
    ],
  ],
  'new rows that a policy refuses': [
    ann,
    [
      `INSERT INTO doc (id, who, body) VALUES (20, 'else', 'x')`,
      `INSERT INTO doc (id, body) VALUES (20, 'far more than twenty characters')`,
      `INSERT INTO doc (id, body) VALUES (20, 'zed')`,
      `INSERT INTO doc (id, who, body, code) VALUES (1, 'else', NULL, 'a')`,
      `UPDATE doc SET who = 'else' WHERE id = 1`,
      `UPDATE doc SET body = 'zed' WHERE id = 1`,
      `UPDATE doc SET body = 'longer than fifteen' WHERE id = 1`,
    ],
  ],
  'errors tell nothing of rows': [
    ann,
    [
      `INSERT INTO doc (id, body) VALUES (4, 'x')`,
      `INSERT INTO doc (id, body, code) VALUES (21, 'x', 'd')`,
      `INSERT INTO doc (id, body) VALUES (21, 'bad')`,
      `INSERT INTO doc_note VALUES (5, 99)`,
    ],
  ],
  'ON CONFLICT': [
    ann,
    [
      `INSERT INTO doc (id, body) VALUES (1, 'x') ON CONFLICT DO NOTHING RETURNING id`,
      `INSERT INTO doc (id, body) VALUES (5, 'x') ON CONFLICT (id) DO NOTHING`,
      `INSERT INTO doc (id, body) VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET body = excluded.body || doc.body RETURNING *`,
      `INSERT INTO doc (id, body) VALUES (5, 'x') ON CONFLICT (id) DO UPDATE SET body = excluded.body`,
      `INSERT INTO doc (id, body) VALUES (3, 'x') ON CONFLICT (id) DO UPDATE SET body = excluded.body`,
      `INSERT INTO doc (id, body, code) VALUES (50, 'x', 'a') ON CONFLICT (code) DO UPDATE SET body = 'zed'`,
      `INSERT INTO doc (id, body, code) VALUES (50, 'x', 'a') ON CONFLICT (code) DO UPDATE SET len = 1`,
      `INSERT INTO doc (id, body, code) VALUES (50, 'x', 'a') ON CONFLICT (code) DO UPDATE SET body = 'y' WHERE doc.id = 7`,
    ],
  ],
  'without any policy': [
    ann,
    [
      'SELECT * FROM none',
      'DELETE FROM none',
      `UPDATE none SET v = 'y'`,
      `INSERT INTO none VALUES (2, 'x')`,
    ],
  ],
  'who bypasses it': [
    boss,
    [
      `UPDATE doc SET body = 'zz' WHERE id = 4 RETURNING *`,
      'SELECT count(*) FROM doc',
      `INSERT INTO doc (id, who, body) VALUES (30, 'else', 'x')`,
      `INSERT INTO none VALUES (2, 'x')`,
    ],
  ],
  'the owner, and the superuser': [
    owner,
    [`UPDATE owned SET v = 'y' RETURNING *`, 'SELECT * FROM owned'],
  ],
  'a cascade reaches what the role does not see': [
    bob,
    ['DELETE FROM doc WHERE id = 4', 'SELECT * FROM doc_note', 'DELETE FROM doc WHERE id = 1'],
  ],
  'column grants': [
    ann,
    [
      `UPDATE partly SET a = 'x' WHERE id = 1 RETURNING *`,
      `UPDATE partly SET b = 'x' WHERE id = 1`,
      `UPDATE partly SET (a, b) = ('x', 'y')`,
      `INSERT INTO partly (id, a) VALUES (2, 'n') RETURNING *`,
      `INSERT INTO partly (id, b) VALUES (3, 'n')`,
      'DELETE FROM partly',
      `WITH w AS (UPDATE partly SET c = 1) SELECT 1`,
    ],
  ],
  'a table that the role may not read': [
    ann,
    [
      `SELECT * FROM hidden`,
      `INSERT INTO hidden VALUES (1, 'y')`,
      `INSERT INTO hidden VALUES (2, 'x') ON CONFLICT DO NOTHING`,
      `UPDATE hidden SET v = 'z'`,
      'DELETE FROM hidden',
      `UPDATE doc SET body = (SELECT v FROM hidden) WHERE id = 1`,
    ],
  ],
};

suite('row-level security and grants', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(`SELECT 1`);
    await proxied.database.query(roles);
    for (const database of [proxied.database, proxied.twin]) await database.query(schema);
  });
  test.after(async () => {
    for (const database of [proxied.twin, proxied.database]) {
      await database.query(`DROP OWNED BY ${everyone}`);
    }
    await proxied.database.query(`DROP ROLE ${everyone}`).catch(() => undefined);
    await proxied.stop();
  });

  for (const [name, [role, statements]] of Object.entries(stories)) {
    test(name, async () => {
      const session = await proxied.daemon.newSession({ reads: 'staged' });
      await assertSameAs(proxied, role, session, statements);
    });
  }

  test('roles of one session do not see what their policies hide of its staged rows', async () => {
    const session = await proxied.daemon.newSession({ reads: 'staged' });
    const [a, b] = await Promise.all(
      [ann, bob].map(({ name, password }) =>
        proxied.connect(proxied.daemon.clientUrl(session, name, password)),
      ),
    );
    assert.ok(a && b);
    await a.query(
      `UPDATE doc SET body = 'staged' WHERE id = 2; INSERT INTO doc (id, body, secret) VALUES (40, 'n', true)`,
    );
    const seen = async (client: typeof a) =>
      (await client.query('SELECT id FROM doc ORDER BY id')).rows.map(({ id }) => id);
    assert.equal(await seen(a), [1, 2, 3, 4, 6, 40]);
    assert.equal(await seen(b), [1, 3, 4, 5, 6]);
    assert.is((await b.query(`UPDATE doc SET body = 'mine' WHERE id = 40`)).rowCount, 0);
    assert.is((await b.query(`DELETE FROM doc WHERE id = 2`)).rowCount, 0);
  });

  test('a function that tells what it is given is asked only of rows that the role sees', async () => {
    const session = await proxied.daemon.newSession({ reads: 'staged' });
    const url = (role: typeof ann) => proxied.daemon.clientUrl(session, role.name, role.password);
    const [a, b] = [await proxied.connect(url(ann)), await proxied.connect(url(bob))];
    await a.query(`UPDATE doc SET body = 'hush' WHERE id = 2`);
    await proxied.database.query(
      `CREATE FUNCTION leak(text) RETURNS boolean LANGUAGE plpgsql STABLE COST 0.0001 AS $$BEGIN RAISE NOTICE '%', $1; RETURN true; END$$`,
    );
    const notices: string[] = [];
    b.on('notice', ({ message }) => notices.push(String(message)));
    await b.query('SELECT count(*) FROM doc WHERE leak(body)');
    assert.ok(notices.length > 0);
    assert.not.ok(notices.includes('hush'));
  });

  test('operators of the role do not stand in for those of a policy, even around the proxy', async () => {
    const session = await proxied.daemon.newSession({ reads: 'staged' });
    const staging = await proxied.connect(
      proxied.daemon.clientUrl(session, ann.name, ann.password),
    );
    await staging.query(`UPDATE doc SET body = 'hush' WHERE id = 2`);
    const client = await proxied.connect(proxied.database.urlFor(bob.name, bob.password));
    const [{ space }] = (await proxied.database
      .query(`CREATE SCHEMA evil; GRANT USAGE ON SCHEMA evil TO PUBLIC;
      CREATE FUNCTION evil.yes(text, name) RETURNS boolean LANGUAGE sql AS 'SELECT true';
      CREATE OPERATOR evil.= (LEFTARG = text, RIGHTARG = name, FUNCTION = evil.yes)`)
      .then(() => proxied.database.query(`SELECT 'public'::regnamespace::oid::int AS space`))) as [
      { space: number },
    ];
    const seen = `SELECT id FROM stage_overlay_${space}.doc WHERE id OPERATOR(pg_catalog.=) ANY ('{1,2}') ORDER BY id`;
    await client.query(`SET stage.session = '${session.slice(5)}'`);
    assert.equal((await client.query(seen)).rows, [{ id: 1 }]);
    await client.query('SET search_path = evil, pg_catalog, public');
    assert.equal((await client.query(seen)).rows, [{ id: 1 }]);
  });

  test('whoever may only read stages all the same', async () => {
    const session = await proxied.daemon.newSession({ reads: 'staged' });
    const client = await proxied.connect(proxied.daemon.clientUrl(session, bob.name, bob.password));
    const { rows } = await client.query(`UPDATE partly SET b = 'x' RETURNING b`);
    assert.equal(rows, [{ b: 'x' }]);
  });

  test('writing needs SELECT on every column, for whole rows are staged', async () => {
    const session = await proxied.daemon.newSession({ reads: 'staged' });
    const client = await proxied.connect(
      proxied.daemon.clientUrl(session, boss.name, boss.password),
    );
    const outcome = await outcomeOf(client, `UPDATE partly SET a = 'x' WHERE id = 1`);
    assert.match(JSON.stringify(outcome), /42501.*permission denied for table partly/);
  });

  test('what the views and functions tell by hand', async () => {
    const session = await proxied.daemon.newSession({ reads: 'staged' });
    const superuser = await proxied.connect(proxied.daemon.clientUrl(session));
    await superuser.query(
      `INSERT INTO hidden VALUES (2, 'staged'); UPDATE doc SET body = 'hush' WHERE id = 5`,
    );
    const [names] = await proxied.database.query<{ hidden: number; space: number }>(
      `SELECT 'hidden'::regclass::oid::int AS hidden, 'public'::regnamespace::oid::int AS space`,
    );
    assert.ok(names);
    const { hidden, space } = names;
    const client = await proxied.connect(proxied.database.urlFor(ann.name, ann.password));
    await client.query(`SET stage.session = '${session.slice(5)}'`);
    const denied = [
      `SELECT * FROM stage_overlay_${space}.hidden`,
      `SELECT * FROM stage_upsert_${space}.hidden`,
      `SELECT * FROM stage_data.shadow_${hidden}`,
      `SELECT (stage_upsert_${space}.collision_${hidden}(ROW(1, 'x')::stage_upsert_${space}.hidden, NULL, false))._stage_v_row`,
      `SELECT stage_data.source_${hidden}()`,
      `SELECT * FROM stage.mutation`,
      `INSERT INTO stage_overlay_${space}.hidden VALUES (9, 'x')`,
      `INSERT INTO stage_upsert_${space}.hidden VALUES (9, 'x')`,
    ];
    for (const statement of denied) {
      const outcome = JSON.stringify(await outcomeOf(client, statement));
      assert.match(outcome, /"code":"(42501|42704)"/, statement);
    }
    const { rows } = await client.query(`SELECT id FROM stage_overlay_${space}.doc ORDER BY id`);
    assert.equal(
      rows.map(({ id }) => id),
      [1, 2, 3, 4, 6],
    );
  });
});
