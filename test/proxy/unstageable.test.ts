/** A session refuses tables and statements that it cannot stage with a reason, before anything fails. */
import { createRole, testRole } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const role = testRole('caller');

const schema = `
CREATE TABLE whole (id int PRIMARY KEY, CHECK (whole IS NOT NULL));
CREATE TABLE system (id int PRIMARY KEY, CHECK (tableoid > 0));
CREATE TABLE own_oid (id int PRIMARY KEY, o oid GENERATED ALWAYS AS (tableoid) STORED);
CREATE TABLE root_oid (id int PRIMARY KEY, o oid GENERATED ALWAYS AS (tableoid) STORED) PARTITION BY RANGE (id);
CREATE TABLE leaf_oid PARTITION OF root_oid DEFAULT;
CREATE TABLE of_name (id int PRIMARY KEY, "tableoid_" int GENERATED ALWAYS AS (length('tableoid')) STORED);
CREATE DOMAIN pct AS int CHECK (VALUE < 100);
CREATE TABLE share (id int PRIMARY KEY, of pct);
CREATE TABLE arc (a int, b int);
CREATE VIEW round AS WITH RECURSIVE r (a, b) AS (SELECT a, b FROM arc UNION ALL SELECT r.a, arc.b FROM r JOIN arc ON arc.a = r.b)
  CYCLE a, b SET is_cycle TO 'Y' DEFAULT 'N' USING path SELECT a, b, is_cycle FROM r;
CREATE TABLE joining (id int PRIMARY KEY);
CREATE TABLE joined (id int PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE lone (id int PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE lone_rest PARTITION OF lone DEFAULT;
CREATE VIEW of_rest AS SELECT * FROM lone_rest;
CREATE FUNCTION half(int) RETURNS int IMMUTABLE LANGUAGE sql RETURN $1 / 2;
REVOKE EXECUTE ON FUNCTION half FROM PUBLIC;
CREATE TABLE halved (id int PRIMARY KEY, h int GENERATED ALWAYS AS (half(id)) STORED);
CREATE TABLE checked (id int PRIMARY KEY CHECK (half(id) > 0));
`;

const unsupported: Record<string, string> = {
  'a check of the whole row': 'INSERT INTO whole VALUES (1)',
  'a check of a system column': 'INSERT INTO system VALUES (1)',
  'a column generated of a system column': 'INSERT INTO own_oid VALUES (1)',
  'a column of partitions generated of a system column': 'INSERT INTO root_oid VALUES (1)',
  'lines left out for a domain': 'COPY share FROM STDIN (ON_ERROR ignore)',
  'a view that cannot be read': 'SELECT * FROM round',
};

suite('what cannot be staged', (test) => {
  let proxied: Proxied;
  let url: string;
  test.before(async () => {
    proxied = await startProxied(schema);
    url = await proxied.session('staged');
    await proxied.database.query(
      `${createRole(role)}; GRANT SELECT, INSERT, UPDATE ON halved, checked TO ${role.name}`,
    );
  });
  test.after(async () => {
    await proxied.database.query(`DROP OWNED BY ${role.name}; DROP ROLE ${role.name}`);
    await proxied.stop();
  });

  for (const [name, text] of Object.entries(unsupported)) {
    test(name, async () => {
      const client = await proxied.connect(url);
      const error = await rejects(client.query(text));
      assert.is(error.code, '0A000', error.message);
    });
  }

  test('a view over a partition, whose hint leads to the partition', async () => {
    const client = await proxied.connect(url);
    const error = await rejects(client.query('INSERT INTO of_rest VALUES (7)'));
    const { code, hint = '' } = error as Error & { code?: string; hint?: string };
    assert.equal([code, /^Write to the table behind the view\. If/.test(hint)], ['0A000', true]);
    assert.is((await client.query('INSERT INTO lone_rest VALUES (7)')).rowCount, 1);
    assert.equal((await client.query('SELECT * FROM of_rest')).rows, [{ id: 7 }]);
    assert.is((await client.query('DELETE FROM lone_rest')).rowCount, 1);
  });

  test("a function of a column or a check that is not the role's to execute", async () => {
    const session = await proxied.daemon.newSession();
    const client = await proxied.connect(
      proxied.daemon.clientUrl(session, role.name, role.password),
    );
    for (const text of ['INSERT INTO halved VALUES (4)', 'INSERT INTO checked VALUES (4)']) {
      const error = await rejects(client.query(text));
      assert.is(error.code, '42501', error.message);
      assert.match(error.message, 'permission denied for function half');
    }
  });

  test('a name that another relation has borne, which could not be staged', async () => {
    const client = await proxied.connect(url);
    const write = () => client.query('UPDATE leaving SET id = 2');
    const create = (columns: string) =>
      proxied.database.query(`CREATE TABLE leaving (id int PRIMARY KEY${columns})`);
    await create(', CHECK (tableoid > 0)');
    assert.is((await rejects(write())).code, '0A000');
    await proxied.database.query('DROP TABLE leaving');
    assert.is((await rejects(write())).message, 'relation "leaving" does not exist');
    await create('');
    await client.query('INSERT INTO leaving VALUES (1)');
    assert.is((await write()).rowCount, 1);
  });

  test('a table that becomes a partition', async () => {
    const client = await proxied.connect(url);
    await client.query('INSERT INTO joining VALUES (1)');
    await proxied.database.query(
      'ALTER TABLE joined ATTACH PARTITION joining FOR VALUES FROM (0) TO (9)',
    );
    assert.is((await client.query('INSERT INTO joining VALUES (2)')).rowCount, 1);
    assert.equal((await client.query('SELECT * FROM joined')).rows, [{ id: 2 }]);
  });

  test('and is joined to what cannot be staged', async () => {
    const client = await proxied.connect(url);
    const { rows } = await client.query('SELECT o.* FROM own_oid o LEFT JOIN joining j USING (id)');
    assert.equal(rows, []);
  });

  test('but a column that is generated of the name of a system column can', async () => {
    const client = await proxied.connect(url);
    const { rows } = await client.query('INSERT INTO of_name VALUES (1) RETURNING *');
    assert.equal(rows, [{ id: 1, tableoid_: 8 }]);
  });

  test('and so can a default partition that stands alone can', async () => {
    const client = await proxied.connect(url);
    assert.is((await client.query('INSERT INTO lone VALUES (1)')).rowCount, 1);
  });
});
