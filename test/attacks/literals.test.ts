/**
 * To parse a literal of an array or of a composite type runs the checks of its domains, which are their owners' code. None of it may run as
 * the service when it creates the objects that replace relations from their definitions.
 */
import type pg from 'pg';
import { createRole, testRole } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const writer = testRole('writer');
const one = `cardinality('{1}'::telling[])`;
const schema = `
CREATE TABLE witness (who text);
GRANT INSERT ON witness TO PUBLIC;
CREATE FUNCTION tells() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF current_user <> '${writer.name}' THEN INSERT INTO public.witness VALUES (current_user); END IF;
  RETURN true;
END $$;
CREATE DOMAIN telling AS int CHECK (tells());
CREATE TABLE by_default (id int PRIMARY KEY, n int DEFAULT ${one});
CREATE TABLE by_policy (id int PRIMARY KEY, n int);
ALTER TABLE by_policy ENABLE ROW LEVEL SECURITY;
CREATE POLICY every ON by_policy USING (id >= ${one}) WITH CHECK (id >= ${one});
CREATE TABLE behind (id int PRIMARY KEY, n int);
CREATE VIEW by_view AS SELECT id, n FROM behind WHERE id >= ${one};
CREATE TABLE behind_too (id int PRIMARY KEY, n int);
CREATE VIEW by_view_default AS SELECT id, n FROM behind_too;
ALTER VIEW by_view_default ALTER COLUMN n SET DEFAULT ${one};
CREATE TABLE by_index (id int PRIMARY KEY, n int);
CREATE UNIQUE INDEX ON by_index (n) WHERE n >= 1;
CREATE TABLE by_partition (id int, n int DEFAULT ${one}, PRIMARY KEY (id)) PARTITION BY RANGE (id);
CREATE TABLE by_partition_1 PARTITION OF by_partition FOR VALUES FROM (0) TO (100);
TRUNCATE witness;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${writer.name};
`;
const relations = [
  ...['by_default', 'by_policy', 'by_view', 'by_view_default', 'by_index'],
  'by_partition',
];

suite('literals whose types run code', (test) => {
  let proxied: Proxied;
  let client: pg.Client;
  let session: string;
  test.before(async () => {
    proxied = await startProxied('SELECT 1');
    await proxied.database.query(createRole(writer));
    await proxied.database.query(schema);
    session = await proxied.daemon.newSession({ reads: 'staged' });
    client = await proxied.connect(proxied.daemon.clientUrl(session, writer.name, writer.password));
  });
  test.after(async () => {
    await client.end();
    await proxied.database.query(`DROP OWNED BY ${writer.name}`);
    await proxied.database.query(`DROP ROLE ${writer.name}`);
    await proxied.stop();
  });

  for (const relation of relations) {
    test(`stand in ${relation} and do not run as the service`, async () => {
      await proxied.database.query('TRUNCATE witness');
      for (const statement of [
        `INSERT INTO ${relation} (id) VALUES (1)`,
        `UPDATE ${relation} SET n = 7 WHERE id = 1`,
        `SELECT * FROM ${relation}`,
      ])
        await client.query(statement);
      await proxied.daemon.call('GET', `/sessions/${session}/diff`);
      await proxied.daemon.call('GET', `/sessions/${session}/conflicts`);
      assert.equal(await proxied.database.query('SELECT who FROM witness'), []);
    });
  }
});
