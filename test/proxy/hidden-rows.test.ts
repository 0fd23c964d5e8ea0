/** Rows that policies hide from the role that writes: new ones, the one in the way of ON CONFLICT, and those of a change of all rows. */
import { assertSameAs, createRole, outcomeOf, testRole } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const [ann, boss] = [testRole('ann'), testRole('boss')];
const everyone = `${ann.name}, ${boss.name}`;

const schema = `
CREATE TABLE doc (id int PRIMARY KEY, who text NOT NULL DEFAULT current_user, body text, code text UNIQUE);
ALTER TABLE doc ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON doc USING (who = current_user);
INSERT INTO doc VALUES (1, '${ann.name}', 'a1', 'a'), (5, 'else', 'b5', 'eee');
CREATE TABLE unseen (id int PRIMARY KEY, v text); ALTER TABLE unseen ENABLE ROW LEVEL SECURITY; INSERT INTO unseen VALUES (0, 'shown');
CREATE POLICY shown ON unseen FOR SELECT USING (v = 'shown'); CREATE POLICY added ON unseen FOR INSERT WITH CHECK (true);
CREATE POLICY changed ON unseen FOR UPDATE USING (true);
GRANT ALL ON doc, unseen TO ${everyone};
`;

const written = [
  `INSERT INTO unseen VALUES (1, 'x')`,
  `INSERT INTO unseen VALUES (2, 'x') RETURNING 1`,
  `INSERT INTO unseen VALUES (3, 'x') RETURNING id`,
  `INSERT INTO unseen VALUES (4, 'x') ON CONFLICT DO NOTHING`,
  `INSERT INTO unseen VALUES (5, 'x') ON CONFLICT (id) DO NOTHING`,
  `UPDATE unseen SET v = 'x' WHERE id = 0`,
  `WITH w AS (INSERT INTO unseen VALUES (6, 'shown') RETURNING *) SELECT * FROM w`,
];

suite('rows that policies hide', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied('');
    await proxied.database.query(createRole(ann) + createRole(boss, 'BYPASSRLS'));
    for (const { query } of [proxied.database, proxied.twin]) await query(schema);
  });
  test.after(async () => {
    for (const { query } of [proxied.twin, proxied.database])
      await query(`DROP OWNED BY ${everyone}`);
    await proxied.database.query(`DROP ROLE ${everyone}`);
    await proxied.stop();
  });

  test('are refused as new rows of a statement that reads columns', async () => {
    const session = await proxied.daemon.newSession({ reads: 'staged' });
    await assertSameAs(proxied, ann, session, written);
  });

  test('are refused as new rows of a MERGE that returns rows', async () => {
    const session = await proxied.daemon.newSession({ reads: 'staged' });
    const merge = (id: number, end: string) =>
      `MERGE INTO unseen t USING (VALUES (${id}, 'x')) s (id, v) ON t.id = s.id WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v)${end}`;
    // PostgreSQL 15 and 16 have no RETURNING in MERGE
    await assertSameAs(
      proxied,
      ann,
      session,
      ['', ' RETURNING 1', ' RETURNING t.*'].map((end, at) => merge(20 + at, end)),
    );
  });

  test('a change of all rows is refused where it would reach rows that the role does not see', async () => {
    const session = await proxied.daemon.newSession({ reads: 'staged' });
    const client = await proxied.connect(proxied.daemon.clientUrl(session, ann.name, ann.password));
    for (const statement of ['UPDATE unseen SET v = v', `UPDATE unseen SET v = 'x' RETURNING id`])
      assert.match(JSON.stringify(await outcomeOf(client, statement)), /"UPDATE 1"|42501/);
    const refused = JSON.stringify(await outcomeOf(client, `UPDATE unseen SET v = 'x'`));
    assert.match(refused, /0A000.*UPDATE of rows of .* that policies for SELECT hide.*WHERE/);
    await assertSameAs(proxied, ann, session, [
      'DELETE FROM unseen',
      'UPDATE doc SET secret = true',
    ]);
    await assertSameAs(proxied, boss, session, [`UPDATE unseen SET v = 'x'`]);
  });

  test('ON CONFLICT tells nothing of a row that policies hide', async () => {
    const session = await proxied.daemon.newSession({ reads: 'staged' });
    const owned = await proxied.connect(proxied.daemon.clientUrl(session));
    await owned.query(`UPDATE doc SET body = 'hush' WHERE id = 5`);
    const [names] = await proxied.database.query<{ doc: number; space: number }>(
      `SELECT 'doc'::regclass::oid::int AS doc, 'public'::regnamespace::oid::int AS space`,
    );
    assert.ok(names);
    const { doc, space } = names;
    const client = await proxied.connect(proxied.database.urlFor(ann.name, ann.password));
    await client.query(`SET stage.session = '${session.slice(5)}'`);
    for (const row of ["5, 'x', 'y', 'zz'", "6, 'x', 'y', 'eee'"]) {
      const call = `stage_upsert_${space}.collision_${doc}(ROW(${row})::stage_upsert_${space}.doc, NULL, false)`;
      assert.is((await rejects(client.query(`SELECT ${call}`))).code, '42501');
    }
    await client.query(`CREATE TEMP TABLE own (id int, who text, body text, code text)`);
    const attached = `CREATE TRIGGER t BEFORE INSERT ON own FOR EACH ROW EXECUTE FUNCTION stage_upsert_${space}.search_${doc}()`;
    assert.is((await rejects(client.query(attached))).code, '42501');
    await assertSameAs(proxied, ann, session, [
      `INSERT INTO doc VALUES (5, 'x', 'y', 'zz') ON CONFLICT DO NOTHING`,
      `INSERT INTO doc VALUES (6, 'x', 'y', 'eee') ON CONFLICT DO NOTHING`,
    ]);
  });

  test('of a table without any unique index collide with nothing', async () => {
    for (const { query } of [proxied.database, proxied.twin])
      await query(`CREATE TABLE loose (id int, n int); ALTER TABLE loose ENABLE ROW LEVEL SECURITY; CREATE POLICY any_row ON loose USING (n < 9);
        CREATE TABLE late (id int PRIMARY KEY DEFERRABLE, n int); ALTER TABLE late ENABLE ROW LEVEL SECURITY; CREATE POLICY any_row ON late USING (n < 9);
        GRANT ALL ON loose, late TO ${ann.name}`);
    const session = await proxied.daemon.newSession({ reads: 'staged' });
    await assertSameAs(proxied, ann, session, [
      `INSERT INTO loose VALUES (1, 1), (1, 2) ON CONFLICT DO NOTHING RETURNING id`,
      `INSERT INTO loose VALUES (1, 9) ON CONFLICT DO NOTHING`,
      'UPDATE loose SET n = n + 1 WHERE id = 1',
      'SELECT * FROM loose ORDER BY n',
      `INSERT INTO late VALUES (1, 1) RETURNING id`,
      'UPDATE late SET n = n + 1 WHERE id = 1',
    ]);
  });

  test('DO UPDATE by an index with an expression is refused where rows collide', async () => {
    for (const { query } of [proxied.database, proxied.twin])
      await query(`CREATE TABLE lowered (id int PRIMARY KEY, name text); CREATE UNIQUE INDEX lower_name ON lowered (lower(name));
        INSERT INTO lowered VALUES (1, 'A'); ALTER TABLE lowered ENABLE ROW LEVEL SECURITY; CREATE POLICY all_of_it ON lowered USING (true);
        GRANT ALL ON lowered TO ${ann.name}`);
    const session = await proxied.daemon.newSession({ reads: 'staged' });
    await assertSameAs(proxied, ann, session, [
      `INSERT INTO lowered VALUES (2, 'a') ON CONFLICT (lower(name)) DO NOTHING`,
      `INSERT INTO lowered VALUES (2, 'b') ON CONFLICT (lower(name)) DO UPDATE SET name = 'c'`,
      `INSERT INTO lowered VALUES (1, 'd') ON CONFLICT (id) DO UPDATE SET name = excluded.name RETURNING *`,
    ]);
    const client = await proxied.connect(proxied.daemon.clientUrl(session, ann.name, ann.password));
    const outcome = await outcomeOf(
      client,
      `INSERT INTO lowered VALUES (2, 'a') ON CONFLICT (lower(name)) DO UPDATE SET name = 'c'`,
    );
    assert.match(JSON.stringify(outcome), /0A000.*index ..lower_name.*row-level security.*hint/);
  });
});
