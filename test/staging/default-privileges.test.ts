/** Databases in which functions are taken from PUBLIC by default, as hardening guides advise: clients stage as in others. */
import pg from 'pg';
import { createRole, testRole } from '../helpers/both-ways.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { assert, suite } from '../helpers/suite.ts';

const client = testRole('default_privileges');
const schema = `
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
CREATE TABLE makers (id int PRIMARY KEY, name text UNIQUE);
CREATE TABLE products (id int PRIMARY KEY, maker int REFERENCES makers ON DELETE CASCADE, price int CHECK (price > 0), twice int GENERATED ALWAYS AS (price * 2) STORED);
INSERT INTO makers VALUES (1, 'a'), (2, 'b');
INSERT INTO products VALUES (1, 1, 10), (2, 2, 20);
CREATE FUNCTION raised() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.price := NEW.price + 1; RETURN NEW; END';
CREATE TRIGGER raised BEFORE INSERT ON products FOR EACH ROW EXECUTE FUNCTION raised();
CREATE FUNCTION priced(p int) RETURNS bigint LANGUAGE plpgsql STABLE AS 'BEGIN RETURN (SELECT sum(price) FROM products WHERE maker = p); END';
CREATE FUNCTION add_product(p int) RETURNS int LANGUAGE plpgsql AS 'BEGIN INSERT INTO products (id, maker, price) VALUES (p, 1, p); RETURN p; END';
CREATE FUNCTION hidden() RETURNS int LANGUAGE sql AS 'SELECT 1';
ALTER TABLE makers ENABLE ROW LEVEL SECURITY;
CREATE POLICY known ON makers USING (name <> 'b');`;

suite('functions that default privileges take from PUBLIC', (test) => {
  test('clients stage and read, and call what they may', async () => {
    const database = await createTestDatabase({ template: 'empty' });
    try {
      await database.query(`${schema}${createRole(client)}
        GRANT SELECT, INSERT, UPDATE, DELETE ON makers, products TO ${client.name};
        GRANT EXECUTE ON FUNCTION priced, add_product TO ${client.name}`);
      const daemon = await startTestDaemon({ database });
      try {
        const session = await daemon.newSession({ reads: 'staged' });
        const url = daemon.clientUrl(session, client.name, client.password);
        const connection = new pg.Client({ connectionString: url });
        connection.on('error', () => undefined);
        await connection.connect();
        const rowsOf = async (text: string) =>
          (await connection.query({ text, rowMode: 'array' })).rows;
        assert.equal(await rowsOf('SELECT * FROM makers'), [[1, 'a']]);
        await connection.query(`INSERT INTO makers VALUES (3, 'c')`);
        await connection.query(
          `INSERT INTO makers VALUES (3, 'd') ON CONFLICT (id) DO UPDATE SET name = 'd'`,
        );
        await connection.query('INSERT INTO products (id, maker, price) VALUES (3, 3, 30)');
        await connection.query('UPDATE products SET price = price + 1 WHERE id = 1');
        await connection.query('DELETE FROM products WHERE id = 2');
        assert.equal(await rowsOf('SELECT priced(3), priced(1)'), [['31', '11']]);
        assert.equal(await rowsOf('SELECT add_product(7)'), [[7]]);
        assert.is(await connection.query('SELECT hidden()').catch(({ code }) => code), '42501');
        await connection.end();
        for (const step of ['propose', 'approve']) {
          const { status, text } = await daemon.call('POST', `/sessions/${session}/${step}`);
          assert.is(status, 200, text);
        }
        assert.equal(await database.query('SELECT id, price FROM products ORDER BY id'), [
          { id: 1, price: 11 },
          { id: 3, price: 31 },
          { id: 7, price: 8 },
        ]);
      } finally {
        await daemon.stop();
      }
      await database.query(`DROP OWNED BY ${client.name}; DROP ROLE ${client.name}`);
    } finally {
      await database.drop();
    }
  });
});
