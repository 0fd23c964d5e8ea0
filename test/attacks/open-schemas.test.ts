/** Functions in schemas where anybody may create some do not run with the rights of the service account in place of others. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE SCHEMA open;
GRANT CREATE, USAGE ON SCHEMA open TO PUBLIC;
CREATE FUNCTION norm(p text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT lower(p) $$;
CREATE FUNCTION slug(p text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN norm(p); END $$;
CREATE TABLE items (id int PRIMARY KEY, title text CHECK (slug(title) <> 'hostile'), slug text GENERATED ALWAYS AS (slug(title)) STORED);
CREATE FUNCTION first_word(p text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT split_part(lower(p), ' ', 1) $$;
CREATE FUNCTION short(p text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN first_word(p); END $$;
CREATE TABLE notes (id int PRIMARY KEY, text text, short text GENERATED ALWAYS AS (short(text)) STORED);
CREATE FUNCTION open.norm(p text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'hostile' $$;
CREATE FUNCTION open.norm(p varchar) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'hostile' $$;
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = open, public', current_database()); END $$;
`;

suite('open schemas', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  test('others are searched', async () => {
    const client = await proxied.connect(await proxied.session());
    const { rows } = await client.query(`INSERT INTO notes VALUES (1, 'A Note') RETURNING short`);
    assert.equal(rows, [{ short: 'a' }]);
  });

  for (const statement of [
    `INSERT INTO items VALUES (1, 'First') RETURNING slug`,
    `INSERT INTO items SELECT g, 'First' FROM generate_series(1, 1) g RETURNING slug`,
    `INSERT INTO items VALUES (1, 'First') ON CONFLICT (id) DO UPDATE SET title = 'Second' RETURNING slug`,
  ])
    test(`are not searched for functions of checks and generated columns: ${statement}`, async () => {
      const client = await proxied.connect(await proxied.session());
      const { rows } = await client.query(statement);
      assert.equal(rows, [{ slug: 'first' }]);
    });
});
