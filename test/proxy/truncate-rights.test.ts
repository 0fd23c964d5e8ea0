/** Which roles may stage a TRUNCATE, and of which tables. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, suite } from '../helpers/suite.ts';
import { q, runScript } from '../helpers/wire-script.ts';

const schema = `
CREATE TABLE bag (v int);
CREATE TABLE parent (id int PRIMARY KEY);
CREATE TABLE child (id int PRIMARY KEY, parent int REFERENCES parent ON DELETE CASCADE);
CREATE TABLE tree (id int PRIMARY KEY, up int REFERENCES tree ON DELETE SET NULL);
INSERT INTO bag VALUES (1), (1), (NULL);
INSERT INTO parent VALUES (1), (2);
INSERT INTO child VALUES (1, 1), (2, 2), (3, NULL);
INSERT INTO tree VALUES (1, NULL), (2, 1), (3, 2);
`;

suite('rights to TRUNCATE', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  test('asks for the right to truncate', async () => {
    const { database, daemon, twin } = proxied;
    const rights =
      'GRANT SELECT, DELETE ON ALL TABLES IN SCHEMA public TO $role; GRANT TRUNCATE ON parent, tree TO $role';
    const role = await createRole(database, rights);
    const other = await createRole(twin, rights);
    try {
      const session = await daemon.newSession();
      const messages = ['bag', 'tree', 'parent CASCADE', 'bag, tree'].map((names) =>
        q(`TRUNCATE ${names}`),
      );
      const answers = await runScript(daemon.clientUrl(session, role.name, role.name), messages);
      const withoutHint = (answer: string) => answer.replace(/ H=TRUNCATE requires.*/, '');
      assert.equal(
        answers.map(withoutHint),
        await runScript(twin.urlFor(other.name, other.name), messages),
      );
    } finally {
      await role.drop();
      await other.drop();
    }
  });

  test('needs no right to delete', async () => {
    const { database, daemon } = proxied;
    const role = await createRole(
      database,
      'GRANT SELECT, INSERT, UPDATE, TRUNCATE ON bag TO $role',
    );
    try {
      const url = daemon.clientUrl(await daemon.newSession(), role.name, role.name);
      const answers = await runScript(url, [q('DELETE FROM bag'), q('TRUNCATE bag')]);
      assert.match(answers[0] ?? '', /C=42501/);
      assert.is(answers[2], 'C TRUNCATE TABLE.');
    } finally {
      await role.drop();
    }
  });

  test('a role that may only read stages it, but not what policies hide from it', async () => {
    const { database, daemon } = proxied;
    const reader = await createRole(
      database,
      'GRANT SELECT ON ALL TABLES IN SCHEMA public TO $role',
    );
    await database.query('ALTER TABLE tree ENABLE ROW LEVEL SECURITY');
    try {
      const url = daemon.clientUrl(await daemon.newSession(), reader.name, reader.name);
      const answers = await runScript(url, [q('TRUNCATE bag'), q('TRUNCATE tree')]);
      assert.is(answers[0], 'C TRUNCATE TABLE.');
      assert.match(answers[2] ?? '', /C=0A000 .*row-level security hides rows H=Use DELETE/);
    } finally {
      await database.query('ALTER TABLE tree DISABLE ROW LEVEL SECURITY');
      await reader.drop();
    }
  });
});
