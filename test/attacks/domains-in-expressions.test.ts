/** Domains that only a cast within an expression of a table names, or another domain: their checks have no effect while rows are staged. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const domains = `
CREATE TABLE written (id int);
CREATE FUNCTION writes(int) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN INSERT INTO public.written VALUES ($1); RETURN true; END';
CREATE DOMAIN locking AS int CHECK (pg_try_advisory_lock(VALUE) IS NOT NULL);
CREATE DOMAIN writing AS int CHECK (writes(VALUE));
CREATE DOMAIN outer_locking AS int CHECK (VALUE::locking IS NOT NULL);
CREATE DOMAIN outer_writing AS int CHECK (VALUE::writing IS NOT NULL);
CREATE DOMAIN by_default AS int DEFAULT pg_try_advisory_lock(9)::int;
CREATE DOMAIN harmless AS int CHECK (VALUE > 0);
`;

/** Tables with a domain in an expression, by the kind of expression. */
const definitions: Readonly<Record<string, (table: string, domain: string) => string>> = {
  check: (table, domain) =>
    `CREATE TABLE ${table} (id int PRIMARY KEY, v text, CHECK (id::${domain} IS NOT NULL))`,
  default: (table, domain) =>
    `CREATE TABLE ${table} (id int PRIMARY KEY, v text, w int DEFAULT 5::${domain})`,
  generated: (table, domain) =>
    `CREATE TABLE ${table} (id int PRIMARY KEY, v text, w int GENERATED ALWAYS AS (id::${domain}::int) STORED)`,
  unique: (table, domain) =>
    `CREATE TABLE ${table} (id int PRIMARY KEY, v text); CREATE UNIQUE INDEX ON ${table} ((id::${domain}::int))`,
  partition: (table, domain) =>
    `CREATE TABLE ${table} (id int, v text) PARTITION BY LIST ((id::${domain}::int)); CREATE TABLE ${table}_all PARTITION OF ${table} DEFAULT`,
  list: (table, domain) =>
    `CREATE TABLE ${table} (id int PRIMARY KEY, v text, CHECK (ARRAY[id]::${domain}[] IS NOT NULL))`,
  column: (table, domain) => `CREATE TABLE ${table} (id int PRIMARY KEY, v text, w ${domain})`,
};
const tablesOf = (domain: string) =>
  Object.entries(definitions).map(([kind, define]) => {
    const table = `${kind}_of_${domain}`;
    return { table, sql: define(table, domain) };
  });

const locking = ['locking', 'outer_locking'].flatMap(tablesOf);
const byDefault = {
  table: 'column_by_default',
  sql: 'CREATE TABLE column_by_default (id int PRIMARY KEY, v text, w by_default)',
};
const writing = ['writing', 'outer_writing'].flatMap(tablesOf);
const harmless = tablesOf('harmless');
const all = [...locking, byDefault, ...writing, ...harmless];

suite('domains in expressions of tables', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied([domains, ...all.map(({ sql }) => `${sql};`)].join('\n'));
  });
  test.after(() => proxied.stop());

  const insertInto = async (table: string) => {
    const client = await proxied.connect(await proxied.session('staged'));
    const answer = await client.query(`INSERT INTO ${table} (id, v) VALUES (7, 'x')`).then(
      ({ rowCount }) => `staged ${rowCount}`,
      (error: Error & { code: string }) => `${error.code} ${error.message}`,
    );
    await client.end();
    return answer;
  };
  const locks = () =>
    proxied.database.query(
      "SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND classid = 0 AND objid < 100",
    );

  test('that take a lock: no row is staged', async () => {
    for (const { table } of [...locking, byDefault])
      assert.is(
        await insertInto(table),
        `0A000 cannot stage writes to "${table}": its definition calls pg_try_advisory_lock()`,
      );
    assert.equal(await locks(), []);
  });

  test('that take a lock by another domain are not read', async () => {
    const client = await proxied.connect(await proxied.session('staged'));
    for (const text of ['7::outer_locking', "'{7}'::outer_locking[]", 'CAST(7 AS locking)'])
      assert.match(
        await client.query(`SELECT ${text}`).then(() => 'read', String),
        /pg_try_advisory_lock/,
        text,
      );
    assert.equal(await locks(), []);
  });

  test('that come to take one are noticed', async () => {
    const client = await proxied.connect(await proxied.session('staged'));
    await client.query("INSERT INTO check_of_harmless VALUES (1, 'x')");
    await proxied.database.query(
      'ALTER DOMAIN harmless ADD CHECK (pg_try_advisory_lock(VALUE) IS NOT NULL)',
    );
    const late = await proxied.connect(await proxied.session('staged'));
    for (const each of [client, late]) {
      const answer = each.query("INSERT INTO check_of_harmless VALUES (2, 'x')");
      assert.match(await answer.then(() => 'staged', String), /calls pg_try_advisory_lock/);
    }
    assert.equal(await locks(), []);
  });

  test('that write a row of production do not', async () => {
    for (const { table } of writing) await insertInto(table);
    assert.equal(await proxied.database.query('SELECT * FROM written'), []);
  });

  test('are user code of the table', async () => {
    const rows = await proxied.database.query<{ name: string; code: boolean }>(
      `SELECT n.name, stage.runs_code(n.name::regclass) AS code FROM unnest($1::text[]) n(name)`,
      [writing.map(({ table }) => table)],
    );
    assert.equal(
      rows.filter(({ code }) => !code),
      [],
    );
  });
});
