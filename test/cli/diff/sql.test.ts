/** The SQL script of a diff changes production as approval does. */
import pg from 'pg';
import { assert, suite } from '../../helpers/suite.ts';
import { serve } from '../served.ts';

const tables = `
CREATE TYPE pair AS (a integer, b text);
CREATE TABLE "Odd ""one" (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "select" text, data jsonb, plain json, numbers integer[],
  words text[], p pair, amount numeric, ratio double precision, bytes bytea, day timestamptz, spans int4range, yes boolean);
CREATE TABLE bag (a integer, b text);
CREATE TABLE "a.b" (id integer PRIMARY KEY);
CREATE TABLE parent (id integer PRIMARY KEY, n integer);
CREATE TABLE child (PRIMARY KEY (id)) INHERITS (parent);
CREATE TABLE loose_parent (a integer);
CREATE TABLE loose_child () INHERITS (loose_parent);
CREATE TABLE pieces (a integer, b integer) PARTITION BY LIST (a);
CREATE TABLE pieces_1 PARTITION OF pieces FOR VALUES IN (1);
CREATE TABLE pieces_2 PARTITION OF pieces FOR VALUES IN (2);
CREATE TABLE loose_types (j json, x xml, p point, c circle, n numeric, i interval, js json[], w pair, ws pair[], r numrange, f double precision, b jsonb);
CREATE TABLE node (id integer PRIMARY KEY, parent integer REFERENCES node);
CREATE TABLE leaf (id integer PRIMARY KEY, node integer REFERENCES node);
CREATE TABLE two (a integer, b text, c text, twice integer GENERATED ALWAYS AS (a * 2) STORED, PRIMARY KEY (a, b));
INSERT INTO bag VALUES (1, NULL), (1, NULL), (2, 'x');
INSERT INTO parent VALUES (1, 1), (2, 2);
INSERT INTO child VALUES (1, 10), (2, 20);
INSERT INTO loose_child VALUES (1);
INSERT INTO loose_parent VALUES (1);
INSERT INTO pieces VALUES (1, 1), (2, 2);
INSERT INTO loose_types VALUES ('{"i" : 1}', '<a/>', '(1,2)', '<(0,0),1>', 1.0, '24:00', '{"{\\"a\\": 1}"}', '(1,x)', '{"(1,y)"}', '[1.0,2)', 'NaN', '{"a": 1.0}'),
  ('{"i": 1}', '<a/>', '(1,2)', '<(9,9),1>', 1.00, '1 day', '{"{\\"a\\":1}"}', '(1,x)', '{"(1,y)"}', '[1.00,2)', '-0', '{"a": 1.00}');
INSERT INTO loose_types DEFAULT VALUES;
INSERT INTO two VALUES (1, 'it''s', 'old'), (2, 'b', 'gone');
INSERT INTO "Odd ""one" ("select", data, numbers, amount) VALUES ('a', '{"k": 1}', '{1,2}', 1.10), ('b', '5', NULL, 'NaN');`;

const compared = [
  '"Odd ""one"',
  '"a.b"',
  'two',
  'bag',
  'parent',
  'loose_parent',
  'pieces',
  'loose_types',
];

const writes = [
  `INSERT INTO "Odd ""one" ("select", data, plain, numbers, words, p, amount, ratio, bytes, day, spans, yes) VALUES
     (E'it''s \\\\ \\u202e\\n', '{"x": ["y", null]}', '{"a": 1}', '{1,NULL,3}', '{"a,b","c\\"d",NULL}', '(1,"x y")',
      12345678901234567890.123456789, 1e300, '\\x00ff', '2026-01-31 12:00:00.123456+02', '[1,5)', true)`,
  `UPDATE "Odd ""one" SET amount = amount WHERE id = 1`,
  `UPDATE "Odd ""one" SET data = '"text"', numbers = '{}', amount = 2.50 WHERE id = 1`,
  `UPDATE "Odd ""one" SET data = '[1]', "select" = '' WHERE id = 2`,
  `INSERT INTO "a.b" VALUES (7)`,
  `UPDATE two SET c = 'new' WHERE a = 1`,
  `INSERT INTO two VALUES (3, 'c', 'added')`,
  `DELETE FROM two WHERE a = 2`,
  `UPDATE bag SET b = 'y' WHERE a = 2`,
];

/** Each changes one row, while others have the same key or ctid. */
const alike = [
  'UPDATE ONLY parent SET n = 3 WHERE id = 1',
  'DELETE FROM ONLY parent WHERE id = 2',
  'UPDATE child SET n = 30 WHERE id = 2',
  'UPDATE ONLY loose_parent SET a = 4',
  'UPDATE pieces SET b = 9 WHERE a = 2',
  'UPDATE loose_types SET n = 5 WHERE i::text = $$1 day$$',
  'DELETE FROM loose_types WHERE i::text = $$24:00:00$$',
  'UPDATE loose_types SET j = $$null$$, n = 7 WHERE i IS NULL',
];

const nodesBefore = 'INSERT INTO node VALUES (1, NULL), (2, 1), (3, 2)';

/** Each breaks a foreign key for a moment, row by row in any order or in that of staging. */
const tied = [
  'INSERT INTO node VALUES (5, 4), (4, NULL)',
  'WITH l AS (INSERT INTO leaf VALUES (1, 7) RETURNING node) INSERT INTO node SELECT node, NULL FROM l',
  'UPDATE node SET id = id + 10, parent = parent + 10 WHERE id IN (1, 2, 3)',
  'DELETE FROM node WHERE id IN (4, 5)',
];

suite('diff as SQL', (test) => {
  const served = serve(test);
  test.before(async () => {
    await served.rest.database.query(tables + nodesBefore);
  });

  async function contents(client: { query(text: string): Promise<unknown> }): Promise<string> {
    const texts: string[] = [];
    for (const name of compared) {
      const result = await client.query(
        `SELECT concat(tableoid::regclass, x) AS row FROM ${name} x ORDER BY 1`,
      );
      texts.push(JSON.stringify(Array.isArray(result) ? result : (result as pg.QueryResult).rows));
    }
    return texts.join('\n');
  }

  async function nodes(client: pg.Client): Promise<unknown[]> {
    const both = `SELECT 'node' AS of, id, parent FROM node UNION ALL SELECT 'leaf', id, node FROM leaf ORDER BY 1, 2`;
    return (await client.query(both)).rows;
  }

  test('is a script that leaves production as approval does', async () => {
    const id = await served.rest.newSession();
    for (const write of writes) await served.rest.write(id, write);
    const { code, stdout } = await served.shell.run(['diff', id, '-o', 'sql']);
    assert.is(code, 0);
    assert.match(
      stdout,
      /^BEGIN;\nSET CONSTRAINTS ALL DEFERRED;\n(?:(?:INSERT|UPDATE|DELETE) .*;\n){9}COMMIT;\n$/,
    );
    assert.match(stdout, /UPDATE "two" SET "c" = 'new' WHERE "a" = 1 AND "b" = 'it''s';/);
    const client = new pg.Client({ connectionString: served.rest.database.url });
    await client.connect();
    try {
      await client.query(stdout.replace(/COMMIT;\n$/, ''));
      const scripted = await contents(client);
      await client.query('ROLLBACK');
      await served.rest.call('POST', `/sessions/${id}/propose`, { json: {} });
      const approved = await served.rest.call('POST', `/sessions/${id}/approve`, { json: {} });
      assert.is(approved.status, 200, JSON.stringify(approved.body));
      assert.is(scripted, await contents(client));
    } finally {
      await client.end();
    }
  });

  test('means the rows of the table itself, and in each partition its own', async () => {
    const id = await served.rest.newSession();
    for (const write of alike) await served.rest.write(id, write);
    const { code, stdout } = await served.shell.run(['diff', id, '-o', 'sql']);
    assert.is(code, 0);
    assert.match(stdout, 'UPDATE ONLY "parent" SET "n" = 3 WHERE "id" = 1;');
    assert.match(stdout, 'DELETE FROM ONLY "parent" WHERE "id" = 2;');
    assert.match(stdout, 'UPDATE "child" SET "n" = 30 WHERE "id" = 2;');
    const client = new pg.Client({ connectionString: served.rest.database.url });
    await client.connect();
    try {
      await client.query('BEGIN');
      for (const write of alike) await client.query(write);
      const direct = await contents(client);
      await client.query('ROLLBACK');
      await client.query(stdout.replace(/COMMIT;\n$/, ''));
      assert.is(await contents(client), direct);
    } finally {
      await client.end();
    }
  });

  test('keeps together what holds only at the end of one statement', async () => {
    const id = await served.rest.newSession();
    for (const write of tied) await served.rest.write(id, write);
    const { stdout } = await served.shell.run(['diff', id, '-o', 'sql']);
    assert.match(stdout, /WITH\n {2}s1 AS \(INSERT INTO "node" .*\),\n {2}s2 AS .*\nSELECT;\n/);
    const client = new pg.Client({ connectionString: served.rest.database.url });
    await client.connect();
    try {
      await client.query('BEGIN');
      for (const write of tied) await client.query(write);
      const direct = await nodes(client);
      await client.query('ROLLBACK');
      await client.query(stdout.replace(/COMMIT;\n$/, ''));
      assert.equal(await nodes(client), direct);
      await client.query('ROLLBACK');
      // the same applies to an approved session
      await served.rest.call('POST', `/sessions/${id}/propose`, { json: {} });
      assert.is(
        (await served.rest.call('POST', `/sessions/${id}/approve`, { json: {} })).status,
        200,
      );
      const applied = await served.shell.run(['diff', id, '-o', 'sql']);
      await client.query(`BEGIN; TRUNCATE node CASCADE; ${nodesBefore}`);
      await client.query(applied.stdout.replace(/^BEGIN;|COMMIT;\n$/g, ''));
      assert.equal(await nodes(client), direct);
    } finally {
      await client.end();
    }
  });

  test('is an empty transaction when there is nothing, and has no counts', async () => {
    const id = await served.rest.newSession();
    assert.is(
      (await served.shell.run(['diff', id, '-o', 'sql'])).stdout,
      'BEGIN;\nSET CONSTRAINTS ALL DEFERRED;\nCOMMIT;\n',
    );
    assert.is((await served.shell.run(['diff', id, '-o', 'sql', '--stat'])).code, 64);
  });
});
