/** Which functions count as code of the database's users: PostgreSQL's own functions in SQL do not, while they are unchanged. */
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE item (id int PRIMARY KEY, day date, name text);
CREATE TYPE coin AS (amount int);
CREATE DOMAIN small AS coin;
CREATE FUNCTION spend(coin) RETURNS text LANGUAGE plpgsql AS 'BEGIN RETURN ($1).amount; END';
CREATE FUNCTION spend_more(int, date) RETURNS date LANGUAGE sql AS 'SELECT $2';
`;

/** Operators that are functions in SQL, on the given types. */
const operators = `SELECT o.oid::regoperator::text AS name, stage.is_user_code(o.oprcode) AS code
  FROM pg_operator o JOIN pg_proc p ON p.oid = o.oprcode JOIN pg_language l ON l.oid = p.prolang
  WHERE l.lanname = 'sql' AND o.oid < 16384 ORDER BY 1`;

suite('code of users', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema);
  });
  test.after(() => staging.close());

  /** Returns the operators that count as code of users, in a transaction that is rolled back. */
  async function codeAfter(change: string): Promise<string[]> {
    const client = await staging.connect(await staging.open());
    try {
      await client.query(`BEGIN; ${change}`);
      const { rows } = await client.query<{ name: string; code: boolean }>(operators);
      assert.ok(rows.length >= 13);
      return rows.filter(({ code }) => code).map(({ name }) => name);
    } finally {
      await client.end();
    }
  }

  test('operators of the server', async () => {
    assert.equal(await codeAfter(''), []);
    assert.equal(await codeAfter('SET search_path = public; SET quote_all_identifiers = off'), []);
  });

  const isConcat = (name: string) => name.startsWith('||');

  for (const [what, change] of Object.entries({
    'a cast to text': 'CREATE CAST (coin AS text) WITH FUNCTION spend(coin)',
    'an implicit one': 'CREATE CAST (coin AS text) WITH FUNCTION spend(coin) AS IMPLICIT',
    'one of a role without rights': `CREATE CAST (coin AS text) WITH FUNCTION spend(coin); REVOKE ALL ON FUNCTION spend(coin) FROM PUBLIC`,
  })) {
    test(`${what} may be run by what takes any type`, async () => {
      const code = await codeAfter(change);
      assert.equal(code.length, 2);
      assert.ok(code.every(isConcat));
    });
  }

  test('a cast by an output function runs no code of users', async () => {
    assert.equal(await codeAfter('CREATE CAST (coin AS text) WITH INOUT'), []);
  });

  const replaced = `CREATE OR REPLACE FUNCTION pg_catalog.integer_pl_date(int, date) RETURNS date LANGUAGE sql IMMUTABLE STRICT`;
  for (const [what, change] of Object.entries({
    'another body': `${replaced} RETURN public.spend_more($1, $2)`,
    'a body that is a string': `${replaced} AS 'SELECT $2 OPERATOR(pg_catalog.+) $1'`,
    'an operator of users in it': `CREATE OPERATOR public.+ (leftarg = date, rightarg = int, function = back);
      SET LOCAL search_path = public, pg_catalog; ${replaced} RETURN $2 + $1; SET LOCAL search_path = public`,
    'the rights of its owner':
      'ALTER FUNCTION pg_catalog.integer_pl_date(int, date) SECURITY DEFINER',
    'settings of its own':
      'ALTER FUNCTION pg_catalog.integer_pl_date(int, date) SET search_path = public',
  })) {
    test(`one that was given ${what}`, async () => {
      const back =
        'CREATE FUNCTION public.back(date, int) RETURNS date LANGUAGE sql AS $$SELECT $1$$;';
      assert.equal(await codeAfter(`${back} ${change}`), ['+(integer,date)']);
    });
  }

  test('functions of the server, by what they do', async () => {
    const rows = await staging.database.query<{ name: string }>(`
      SELECT p.oid::regprocedure::text AS name FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
      WHERE l.lanname = 'sql' AND p.oid < 16384 AND p.pronamespace = 'pg_catalog'::regnamespace AND stage.is_user_code(p.oid)`);
    const names = new Set(rows.map(({ name }) => name.replaceAll('"', '').replace(/\(.*/, '')));
    // functions that read the catalogs, wait, or are useless in a write are not examined
    assert.equal([...names].sort(), [
      'col_description',
      'obj_description',
      'overlaps',
      'pg_relation_size',
      'pg_sleep_for',
      'pg_sleep_until',
      'shobj_description',
      'ts_debug',
      'xpath',
      'xpath_exists',
    ]);
  });
});
