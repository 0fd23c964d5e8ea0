/** Triggers of tables with row-level security: policies apply to the rows that they make, and they fire for no row that these hide. */
import { assertSameAs, createRole, outcomeOf, testRole } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const [ann, bob] = [testRole('ann'), testRole('bob')];
const code = (text: string) => `LANGUAGE plpgsql AS $f$${text}$f$`;
const schema = `
CREATE TABLE tenants (name text PRIMARY KEY, member text);
INSERT INTO tenants VALUES ('red', '${ann.name}'), ('blue', '${bob.name}');
CREATE TABLE tasks (id int PRIMARY KEY, tenant text NOT NULL, title text UNIQUE, version int NOT NULL DEFAULT 1, gone boolean NOT NULL DEFAULT false);
INSERT INTO tasks VALUES (1, 'red', 'a'), (2, 'red', 'b'), (3, 'blue', 'c'), (4, 'blue', 'd');
ALTER TABLE tasks ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_tenant ON tasks USING (EXISTS (SELECT FROM tenants t WHERE t.name = tenant AND member = current_user));
CREATE POLICY short ON tasks AS RESTRICTIVE FOR ALL USING (true) WITH CHECK (version < 5);
CREATE FUNCTION stamp() RETURNS trigger ${code(`BEGIN
  IF TG_OP = 'INSERT' THEN NEW.tenant := coalesce(NEW.tenant, (SELECT name FROM tenants WHERE member = coalesce(NEW.title, 'x') OR NEW.title LIKE name || '%' ORDER BY name LIMIT 1));
  ELSE NEW.version := OLD.version + 1; IF NEW.title = 'move' THEN NEW.tenant := 'blue'; END IF; END IF;
  RAISE NOTICE '% %', TG_OP, NEW.id;
  RETURN NEW;
END`)};
CREATE TRIGGER stamp BEFORE INSERT OR UPDATE ON tasks FOR EACH ROW EXECUTE FUNCTION stamp();
CREATE FUNCTION keep() RETURNS trigger ${code(`BEGIN
  RAISE NOTICE 'deletes %', OLD.id;
  IF OLD.version > 2 THEN RETURN NULL; END IF;
  RETURN OLD;
END`)};
CREATE TRIGGER keep BEFORE DELETE ON tasks FOR EACH ROW EXECUTE FUNCTION keep();
CREATE TABLE log (what text, n int, PRIMARY KEY (what, n));
CREATE FUNCTION log() RETURNS trigger ${code(`BEGIN
  INSERT INTO log SELECT concat(TG_OP, ' ', coalesce(NEW.tenant, OLD.tenant)), count(*) FROM tasks;
  RETURN NULL;
EXCEPTION WHEN unique_violation THEN RETURN NULL;
END`)};
CREATE TRIGGER log AFTER INSERT OR UPDATE OR DELETE ON tasks FOR EACH ROW EXECUTE FUNCTION log();
GRANT ALL ON tasks, log TO ${ann.name}, ${bob.name};
GRANT SELECT ON tenants TO ${ann.name}, ${bob.name};
`;

const stories: Readonly<Record<string, readonly string[]>> = {
  'give new rows the values that policies demand': [
    `INSERT INTO tasks (id, title) VALUES (10, 'red ten') RETURNING *`,
    `INSERT INTO tasks (id, title) VALUES (11, 'blue eleven')`,
    `INSERT INTO tasks (id, title) VALUES (12, 'none')`,
    `INSERT INTO tasks (id, tenant, title) VALUES (13, 'blue', 'red')`,
    `INSERT INTO tasks (id, title, version) VALUES (14, 'red', 5)`,
    `INSERT INTO tasks (id, title) SELECT g, 'red ' || g FROM generate_series(20, 22) g RETURNING id, tenant`,
    'SELECT * FROM tasks ORDER BY id',
    'SELECT * FROM log ORDER BY what, n',
  ],
  'change rows to such that policies refuse': [
    `UPDATE tasks SET title = 'move' WHERE id = 1`,
    `UPDATE tasks SET title = title || '!' RETURNING id, version`,
    `UPDATE tasks SET title = 'x' WHERE id = 3`,
    `UPDATE tasks SET title = 'a2' WHERE id = 1`,
    `UPDATE tasks SET title = 'a3' WHERE id = 1`,
    `UPDATE tasks SET title = 'a4' WHERE id = 1`,
    `UPDATE tasks SET tenant = 'blue' WHERE id = 2`,
    'DELETE FROM tasks RETURNING id',
    'DELETE FROM tasks WHERE id = 3',
    'SELECT * FROM tasks ORDER BY id',
    'SELECT * FROM log ORDER BY what, n',
  ],
  'make rows of upserts and MERGE': [
    `INSERT INTO tasks (id, title) VALUES (1, 'red') ON CONFLICT (id) DO UPDATE SET title = excluded.title RETURNING *`,
    `INSERT INTO tasks (id, title) VALUES (30, 'red') ON CONFLICT (id) DO NOTHING`,
    `INSERT INTO tasks (id, title) VALUES (30, 'red 30') ON CONFLICT (id) DO NOTHING RETURNING *`,
    `INSERT INTO tasks (id, title) VALUES (31, 'b') ON CONFLICT (title) DO UPDATE SET version = 3`,
    `INSERT INTO tasks (id, title) VALUES (31, 'red b') ON CONFLICT (title) DO UPDATE SET version = 3 RETURNING *`,
    `INSERT INTO tasks (id, title) VALUES (3, 'red 3') ON CONFLICT (id) DO UPDATE SET title = 'seized'`,
    `INSERT INTO tasks (id, title) VALUES (3, 'red 3') ON CONFLICT DO NOTHING`,
    `INSERT INTO tasks (id, title) VALUES (2, 'red x') ON CONFLICT (id) DO UPDATE SET title = 'move'`,
    `INSERT INTO tasks (id, title) VALUES (32, 'blue') ON CONFLICT (id) DO NOTHING`,
    `MERGE INTO tasks t USING (VALUES (2, 'merged'), (40, 'red forty')) v (id, title) ON t.id = v.id WHEN MATCHED THEN UPDATE SET title = v.title WHEN NOT MATCHED THEN INSERT (id, title) VALUES (v.id, v.title)`,
    `MERGE INTO tasks t USING (VALUES (41, 'blue')) v (id, title) ON t.id = v.id WHEN NOT MATCHED THEN INSERT (id, title) VALUES (v.id, v.title)`,
    'SELECT * FROM tasks ORDER BY id',
  ],
};

suite('triggers of tables with policies', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied('SELECT 1');
    await proxied.database.query([ann, bob].map((role) => createRole(role)).join(''));
    for (const { query } of [proxied.database, proxied.twin]) await query(schema);
  });
  test.after(async () => {
    const names = [ann, bob].map(({ name }) => name).join(', ');
    for (const { query } of [proxied.twin, proxied.database]) await query(`DROP OWNED BY ${names}`);
    await proxied.database.query(`DROP ROLE ${names}`);
    await proxied.stop();
  });

  for (const [name, statements] of Object.entries(stories))
    test(name, async () => {
      const session = await proxied.daemon.newSession({ reads: 'staged' });
      await assertSameAs(proxied, ann, session, statements);
    });

  test('fire for no row that policies hide from the statement, and for each one of the approval', async () => {
    const session = await proxied.daemon.newSession({ reads: 'staged' });
    const url = proxied.daemon.clientUrl(session, ann.name, ann.password);
    const pair = [
      await proxied.connect(url),
      await proxied.connect(proxied.twin.urlFor(ann.name, ann.password)),
    ];
    const heard = pair.map((client) => {
      const notices: string[] = [];
      client.on('notice', ({ message = '' }) => {
        if (!message.includes('staged')) notices.push(message);
      });
      return notices;
    });
    for (const text of [
      `INSERT INTO tasks (id, title) VALUES (50, 'red fifty'), (51, 'red more')`,
      `INSERT INTO tasks (id, title) VALUES (50, 'red again') ON CONFLICT (id) DO UPDATE SET title = 'red fifty!'`,
      `INSERT INTO tasks (id, title) VALUES (52, 'red new') ON CONFLICT (id) DO UPDATE SET title = 'red fifty!'`,
      `UPDATE tasks SET title = title || ' ' || id`,
      'DELETE FROM tasks WHERE id > 1',
      'UPDATE tasks SET version = 1 WHERE id IN (1, 3)',
    ]) {
      const [staged, direct] = await Promise.all(pair.map((client) => outcomeOf(client, text)));
      assert.equal(staged, direct, text);
    }
    assert.equal(heard[0]?.toSorted(), heard[1]?.toSorted());
    assert.ok((heard[0]?.length ?? 0) > 10);
    for (const step of ['propose', 'approve']) {
      const { status, text } = await proxied.daemon.call('POST', `/sessions/${session}/${step}`);
      assert.is(status, 200, text);
    }
    const tasks = 'SELECT * FROM tasks ORDER BY id';
    assert.equal(await proxied.database.query(tasks), await proxied.twin.query(tasks));
  });

  test('make rows to which policies apply that came later', async () => {
    const { database, daemon } = proxied;
    await database.query(`
      CREATE TABLE late (id int PRIMARY KEY, who text);
      CREATE FUNCTION late() RETURNS trigger ${code("BEGIN NEW.who := concat(NEW.who, '!'); RAISE NOTICE 'fired'; RETURN NEW; END")};
      CREATE TRIGGER late BEFORE INSERT OR UPDATE ON late FOR EACH ROW EXECUTE FUNCTION late();
      GRANT ALL ON late TO ${ann.name}`);
    const session = await daemon.newSession({ reads: 'staged' });
    const client = await proxied.connect(daemon.clientUrl(session, ann.name, ann.password));
    await client.query("INSERT INTO late VALUES (1, 'a'), (2, 'b')");
    await database.query(
      "ALTER TABLE late ENABLE ROW LEVEL SECURITY; CREATE POLICY late ON late USING (who <> 'b!') WITH CHECK (who IN ('a!', 'c!')); CREATE POLICY seen ON late FOR SELECT USING (true)",
    );
    const fired: string[] = [];
    client.on('notice', ({ message = '' }) => fired.push(message));
    for (const [text, expected] of [
      ["UPDATE late SET who = 'c' WHERE id = 1", 'UPDATE 1'],
      ["UPDATE late SET who = 'c' WHERE id = 2", 'UPDATE 0'],
      ["UPDATE late SET who = 'd' WHERE id = 1", '42501'],
      ["INSERT INTO late VALUES (3, 'c')", 'INSERT 1'],
      ["INSERT INTO late VALUES (4, 'c!')", '42501'],
      ["INSERT INTO late VALUES (4, 'e') ON CONFLICT (id) DO UPDATE SET who = 'c'", '42501'],
      ["INSERT INTO late VALUES (3, 'a') ON CONFLICT (id) DO UPDATE SET who = 'c'", 'INSERT 1'],
    ])
      assert.match(JSON.stringify(await outcomeOf(client, text ?? '')), expected ?? '', text);
    assert.is(fired.filter((message) => message === 'fired').length, 7);
  });
});
