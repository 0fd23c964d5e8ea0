/** Attempts to have functions that write reach production: by other texts, names, paths and errors than those that were followed. */

import { backend } from '../../src/wire/message-codes.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, connectWire, e, inWords, p, q, s } from '../helpers/wire-script.ts';

const into = (table: string) =>
  `INSERT INTO ${table} VALUES ((SELECT coalesce(max(id), 0) + 1 FROM ${table}), 'by f')`;
const schema = `
CREATE TABLE notes (id int PRIMARY KEY, what text);
INSERT INTO notes VALUES (1, 'first');
CREATE TABLE lines (id int PRIMARY KEY, n int, what text);
CREATE SCHEMA other;
CREATE TABLE other.notes (id int PRIMARY KEY, what text);
CREATE FUNCTION f(n int) RETURNS int LANGUAGE plpgsql AS $f$BEGIN ${into('notes')}; RETURN n; END$f$;
CREATE FUNCTION other.f(n int) RETURNS int LANGUAGE plpgsql AS $f$BEGIN EXECUTE concat($x$${into('public.notes')}$x$); RETURN n; END$f$;
CREATE FUNCTION "stage_overlay_1.f""; DROP TABLE notes; --"(n int) RETURNS int LANGUAGE plpgsql AS
$f$DECLARE "$body$" int; "_stage_v_new" int; BEGIN ${into('notes')}; RETURN n; END$f$;
CREATE PROCEDURE p(n int) LANGUAGE plpgsql AS $f$BEGIN ${into('notes')}; END$f$;
CREATE FUNCTION reads() RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT max(id) FROM notes); END';
`;
const dynamic = `CREATE OR REPLACE FUNCTION f(n int) RETURNS int LANGUAGE plpgsql AS $f$BEGIN EXECUTE concat($x$${into('notes')}$x$); RETURN n; END$f$`;
const plain = `CREATE OR REPLACE FUNCTION f(n int) RETURNS int LANGUAGE plpgsql AS $f$BEGIN ${into('notes')}; RETURN n; END$f$`;
const toOther = `CREATE OR REPLACE FUNCTION f(n int) RETURNS int LANGUAGE plpgsql AS $f$BEGIN ${into('other.notes')}; RETURN n; END$f$`;

suite('attacks by functions that write', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  /** Sends batches, each followed by a change of production, and asserts that nothing but that change reached it. */
  const attack = async (
    batches: readonly (readonly [messages: readonly Buffer[], readies: number, change?: string])[],
  ) => {
    const before = await proxied.contents();
    const client = await connectWire(await proxied.session('staged'));
    const answers: string[][] = [];
    try {
      for (const [messages, readies, change] of batches) {
        client.send(...messages);
        const answer = await client.readTo(backend.readyForQuery, readies);
        answers.push(answer.map(inWords));
        if (change) await proxied.database.query(change);
      }
    } finally {
      client.close();
    }
    assert.equal(await proxied.contents(), before);
    return answers.map((answer) => answer.join('\n'));
  };

  test('that change between Parse and Execute', async () => {
    const bound = [b(['1'], 'f'), e(), s];
    const [, first, second, third] = await attack([
      [[p('SELECT f($1)', 'f', [23]), s], 1],
      [bound, 1, dynamic],
      [bound, 1, toOther],
      [[...bound, q('SELECT what FROM other.notes')], 2, plain],
    ]);
    assert.match(String(first), /C SELECT 1/);
    assert.match(String(second), /E S=ERROR/);
    assert.match(String(third), /by f/);
  });

  test('that change between Parse and Execute of an INSERT', async () => {
    const bound = [b(['1'], 'i'), e(), s];
    const [, first, second, third, fourth] = await attack([
      [[p('INSERT INTO lines SELECT 3000 + $1, f($1)', 'i', [23]), s], 1],
      [bound, 1, dynamic],
      [bound, 1, toOther],
      [[b(['2'], 'i'), e(), s, q('SELECT what FROM other.notes')], 2],
      [[q("INSERT INTO lines SELECT 1, f(1), set_config('search_path', 'other', true)")], 1, plain],
    ]);
    assert.match(String(first), /C INSERT 0 1/);
    assert.match(String(second), /C=0A000/);
    assert.match(String(third), /by f/);
    assert.match(String(fourth), /C=0A000/);
  });

  test('that were read and write now', async () => {
    const bound = [b([], 'r'), e(), s];
    const change = `CREATE OR REPLACE FUNCTION reads() RETURNS int LANGUAGE plpgsql AS $f$BEGIN ${into('notes')}; RETURN 1; END$f$`;
    const [, , answer] = await attack([
      [[p('SELECT reads()', 'r'), s], 1],
      [bound, 1, change],
      [bound, 1],
    ]);
    assert.match(String(answer), /25006/);
  });

  test('that the search path decides', async () => {
    const [answer] = await attack([
      [
        [
          q('SET search_path = other, public'),
          q('SELECT f(1)'),
          q('RESET search_path'),
          q('SELECT f(1), other.f(1)'),
          q("BEGIN; SELECT set_config('search_path', 'other, public', true); SELECT f(1); COMMIT"),
          q("SELECT f(1), set_config('search_path', 'other', false)"),
          q('SELECT postgres.public.f(1)'),
        ],
        7,
      ],
    ]);
    assert.match(String(answer), /E S=ERROR/);
  });

  test('with hostile names', async () => {
    const [answer] = await attack([
      [
        [
          q('SELECT "stage_overlay_1.f""; DROP TABLE notes; --"(3)'),
          q('SELECT count(*) FROM notes'),
          q('CALL p((SELECT 1))'),
          q('CALL p(f(1))'),
          q('SELECT f(f(1))'),
          q('PREPARE x AS SELECT f(1)'),
          q('EXECUTE x'),
          q('DECLARE c CURSOR WITH HOLD FOR SELECT f(1)'),
          q('EXPLAIN ANALYZE SELECT f(1)'),
          q('COPY (SELECT f(1)) TO STDOUT'),
          q('SELECT f(1) FROM notes FOR UPDATE'),
          q('BEGIN READ ONLY; SELECT f(1); COMMIT'),
          q('INSERT INTO notes SELECT 90 + f(1)'),
          q('INSERT INTO lines SELECT 1, f(1), other.f(2)'),
          q('INSERT INTO lines VALUES (f(1) + 7, "stage_overlay_1.f""; DROP TABLE notes; --"(3))'),
          q('COPY (INSERT INTO lines SELECT 2, f(1) RETURNING *) TO STDOUT'),
          q('EXPLAIN ANALYZE INSERT INTO lines SELECT 2, f(1)'),
          q('BEGIN READ ONLY; INSERT INTO lines SELECT 2, f(1); COMMIT'),
          q("INSERT INTO lines SELECT 3, f(1), set_config('stage.calling', '', true)"),
          q("INSERT INTO lines SELECT 3, f(1), set_config('stage.callers', '[]', true)"),
          q('WITH w AS (INSERT INTO notes VALUES (70) RETURNING id) SELECT f(id) FROM w'),
        ],
        21,
      ],
    ]);
    assert.match(String(answer), /C SELECT 1/);
  });

  test('whose rows are fetched in parts', async () => {
    await attack([
      [
        [
          p('SELECT f(n) FROM generate_series(1, 3) n'),
          b(),
          e(1),
          p('INSERT INTO notes VALUES (50)', 'i'),
          b([], 'i', 'i'),
          e(0, 'i'),
          e(1),
          s,
        ],
        1,
      ],
    ]);
  });
});
