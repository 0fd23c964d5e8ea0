/** How a session handles foreign tables, temporary tables, and functions that read. */
import { outcomeOf } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

/** A foreign table without a server can be named, and this test needs no more. */
const schema = `
CREATE TABLE item (id int PRIMARY KEY, name text);
INSERT INTO item VALUES (1, 'one');
CREATE FOREIGN DATA WRAPPER nothing; CREATE SERVER nowhere FOREIGN DATA WRAPPER nothing;
CREATE FOREIGN TABLE far (id int, name text) SERVER nowhere;
CREATE FUNCTION by_sql() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM item';
CREATE FUNCTION by_standard() RETURNS bigint LANGUAGE sql STABLE RETURN (SELECT count(*) FROM item);
CREATE FUNCTION by_plpgsql() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(*) FROM item); END';
CREATE FUNCTION with_setting() RETURNS bigint LANGUAGE sql STABLE SET work_mem = '4MB' AS 'SELECT count(*) FROM item';
CREATE FUNCTION as_owner() RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER AS 'SELECT count(*) FROM item';
CREATE FUNCTION writes() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN INSERT INTO item VALUES (9); RETURN 1; END';
CREATE VIEW counted AS SELECT by_plpgsql() AS n, count(*) FROM item;
`;

const counting = ['with_setting()', 'as_owner()'];

suite('foreign and temporary tables, and functions', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());
  const staging = async (reads: 'staged' | 'production') =>
    proxied.connect(await proxied.session(reads));
  const refusal = async (statement: string) =>
    JSON.stringify(await outcomeOf(await staging('staged'), statement));

  test('foreign tables are no targets, and read as they are', async () => {
    for (const write of [
      `INSERT INTO far VALUES (1)`,
      'DELETE FROM far',
      'TRUNCATE far',
      'COPY far FROM STDIN',
    ]) {
      assert.match(await refusal(write), /"(0A000|42809)".*(foreign table|is not a table)/, write);
    }
    const direct = await outcomeOf(await proxied.connect(proxied.twin.url), 'SELECT * FROM far');
    assert.is(await refusal('SELECT * FROM far'), JSON.stringify(direct));
    assert.match(await refusal('INSERT INTO item SELECT * FROM far'), /nothing.*has no handler/);
  });

  test('of temporary objects there are tables alone, each connection having its own', async () => {
    assert.match(await refusal('CREATE TEMP VIEW scratch AS SELECT 1'), /0A000.*hint/);
    assert.match(await refusal('CREATE TEMP SEQUENCE scratch'), /0A000.*hint/);
    const other = await proxied.connect(proxied.database.url);
    await other.query('CREATE TEMP TABLE scratch (id int)');
    const [{ space }] = (
      await other.query('SELECT pg_my_temp_schema()::regnamespace::text AS space')
    ).rows as [{ space: string }];
    for (const statement of [
      `INSERT INTO ${space}.scratch VALUES (1)`,
      `DROP TABLE ${space}.scratch`,
      `ALTER TABLE ${space}.scratch ADD c int`,
    ])
      assert.match(await refusal(statement), /0A000.*hint/, statement);
  });

  test('functions read production where they have no twins, and behind views', async () => {
    const client = await staging('staged');
    await client.query(`INSERT INTO item VALUES (2, 'staged'), (3, 'staged')`);
    for (const call of counting) {
      const { rows } = await client.query(
        `SELECT ${call} AS n, (SELECT count(*) FROM item) AS here`,
      );
      assert.equal(rows, [{ n: '1', here: '3' }], call);
    }
    assert.equal((await client.query('SELECT * FROM counted')).rows, [{ n: '1', count: '3' }]);
  });

  test('functions with twins read staged rows in staged writes', async () => {
    const client = await staging('staged');
    await client.query(`INSERT INTO item VALUES (2, 'staged'), (3, 'staged')`);
    const { rows } = await client.query(
      'UPDATE item SET name = by_sql() WHERE id = 3 RETURNING name, by_standard() AS n',
    );
    assert.equal(rows, [{ name: '3', n: '3' }]);
  });

  test('a function that writes by a name without schema does not get around staging', async () => {
    for (const path of ['public', '"$user", public', '$overlay, public']) {
      const client = await staging('staged');
      const [{ space }] = (await proxied.database.query(
        `SELECT 'stage_overlay_' || 'public'::regnamespace::oid AS space`,
      )) as [{ space: string }];
      await client.query(`INSERT INTO item VALUES (4)`);
      await client
        .query(`SET search_path = ${path.replace('$overlay', space)}`)
        .catch(() => undefined);
      const called = JSON.stringify(await outcomeOf(client, 'SELECT writes()'));
      assert.match(called, path === '$overlay, public' ? /25006/ : /"tag":"SELECT 1"/);
      const outcome = await outcomeOf(
        client,
        `UPDATE public.item SET name = writes() WHERE id = 1`,
      );
      assert.match(JSON.stringify(outcome), /0A000/);
    }
    assert.is((await proxied.database.query('SELECT FROM item')).length, 1);
  });
});
