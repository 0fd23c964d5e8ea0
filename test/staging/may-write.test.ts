/** Whether a role could write outside the service's schemas: each way to get there is seen, and the recommended role has none. */
import type { Desk } from '../helpers/desk.ts';
import { createDesk } from '../helpers/desk.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE plain (id int PRIMARY KEY, code text);
CREATE TABLE noted (id int PRIMARY KEY);
CREATE VIEW shown AS SELECT id FROM plain;
CREATE SEQUENCE numbers;
CREATE FUNCTION harmless() RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION noting() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO noted VALUES (NEW.id); RETURN NEW; END';
CREATE TRIGGER noting AFTER INSERT ON plain FOR EACH ROW EXECUTE FUNCTION noting();
GRANT SELECT ON plain, noted TO PUBLIC;
`;

/** By what is done to a role: what gives it the means to write. */
const means: Readonly<Record<string, string>> = {
  'a right on a table': 'GRANT INSERT ON plain TO $role',
  'a right of everybody': 'GRANT DELETE ON noted TO PUBLIC',
  'a right on a column': 'GRANT UPDATE (code) ON plain TO $role',
  'a right of everybody on a column': 'GRANT INSERT (code) ON plain TO PUBLIC',
  'a right on a view': 'GRANT UPDATE ON shown TO $role',
  'the right to empty a table': 'GRANT TRUNCATE ON plain TO $role',
  'a table of its own': 'CREATE TABLE made (id int); ALTER TABLE made OWNER TO $role',
  'a role that may write':
    'CREATE ROLE $role_b; GRANT INSERT ON plain TO $role_b; GRANT $role_b TO $role',
  'one that it must set':
    'ALTER ROLE $role NOINHERIT; CREATE ROLE $role_b; GRANT INSERT ON plain TO $role_b; GRANT $role_b TO $role',
  'the right to write all data': 'GRANT pg_write_all_data TO $role',
  'a superuser': 'ALTER ROLE $role SUPERUSER',
  'a function with the rights of its owner': `CREATE FUNCTION made() RETURNS void LANGUAGE sql SECURITY DEFINER AS 'DELETE FROM noted'`,
  'code that a check calls': 'ALTER TABLE plain ADD CHECK (harmless() = 1)',
  'code that an operator calls': `CREATE FUNCTION made(int, int) RETURNS boolean LANGUAGE sql AS 'SELECT true';
    CREATE OPERATOR === (leftarg = int, rightarg = int, function = made)`,
};

suite('the right to write', (test) => {
  let desk: Desk;
  test.before(async () => {
    desk = await createDesk(schema);
  });
  test.after(() => desk.close());

  /** Asks as a role of its own, in a transaction that is rolled back. */
  async function ask(preparation: string): Promise<[boolean, boolean]> {
    const role = await createRole(desk.database);
    const client = await desk.connect(await desk.open());
    try {
      await client.query('BEGIN; SET LOCAL search_path = public');
      await client.query(preparation.replaceAll('$role', role.name));
      const { rows: told } = await client.query(`SELECT stage.may_write('${role.name}') AS may`);
      await client.query(`SET LOCAL SESSION AUTHORIZATION ${role.name}`);
      const { rows } = await client.query('SELECT stage.may_write() AS may');
      return [told[0].may, rows[0].may];
    } finally {
      await client.end();
      await role.drop();
    }
  }

  test('is not there for a role that may only read', async () => {
    const preparation =
      'GRANT SELECT ON ALL TABLES IN SCHEMA public TO $role; GRANT USAGE ON SEQUENCE numbers TO $role';
    assert.equal(await ask(preparation), [false, false]);
  });

  for (const [what, preparation] of Object.entries(means)) {
    test(`comes with ${what}`, async () => {
      assert.equal(await ask(preparation), [true, true]);
    });
  }

  test('does not come with a function of others', async () => {
    const made = `CREATE FUNCTION made() RETURNS void LANGUAGE sql SECURITY DEFINER AS 'DELETE FROM noted';
      REVOKE EXECUTE ON FUNCTION made() FROM PUBLIC`;
    assert.equal(await ask(made), [false, false]);
  });
});
