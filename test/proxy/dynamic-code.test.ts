/** Texts that code runs by EXECUTE: those that are followed run as they do directly; no other text runs in a session. */
import { approveStories } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, suite } from '../helpers/suite.ts';
import { q, runScript } from '../helpers/wire-script.ts';

const { schema, steps } = await readStories('proxy/dynamic-code.sql');

suite('texts that code runs', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  approveStories(test, () => proxied, steps);
});

const block = (body: string) => `LANGUAGE plpgsql AS $f$${body}$f$`;
const hostile = `
CREATE TABLE notes (id int PRIMARY KEY, what text);
CREATE TABLE other (id int PRIMARY KEY, what text);
CREATE SEQUENCE numbers;
CREATE FUNCTION public.format(text, text) RETURNS text ${block(`BEGIN RETURN 'INSERT INTO other VALUES (1)'; END`)};
CREATE FUNCTION formatted() RETURNS void ${block(`BEGIN EXECUTE format('INSERT INTO notes VALUES (1, %L)', 'x'::text); END`)};
CREATE FUNCTION changed(p int) RETURNS void ${block(`DECLARE w text := 'INSERT INTO notes VALUES (2)'; BEGIN SELECT 'INSERT INTO other VALUES (2)' INTO w WHERE p > 0; EXECUTE w; END`)};
CREATE FUNCTION swallowed() RETURNS int ${block(`DECLARE w text := 'INSERT INTO notes VALUES (3)'; BEGIN
  BEGIN SELECT 'INSERT INTO other VALUES (3)' INTO w; EXECUTE w; EXCEPTION WHEN OTHERS THEN RETURN 1; END; RETURN 2; END`)};
CREATE FUNCTION named(t text) RETURNS void ${block(`BEGIN EXECUTE format('INSERT INTO %I VALUES (4)', t); END`)};
CREATE FUNCTION injected(t text) RETURNS void ${block(`BEGIN EXECUTE pg_catalog.format('INSERT INTO notes VALUES (5, %L)', t); END`)};
CREATE FUNCTION told() RETURNS void ${block(`BEGIN INSERT INTO notes VALUES (7); EXECUTE 'NOTIFY a'; END`)};
CREATE FUNCTION upserted() RETURNS void ${block(`BEGIN EXECUTE 'INSERT INTO notes VALUES (8) ON CONFLICT (id) DO UPDATE SET what = excluded.what'; END`)};
CREATE FUNCTION returned() RETURNS void ${block(`BEGIN EXECUTE 'INSERT INTO notes VALUES (8) ON CONFLICT (id) DO UPDATE SET what = $1 RETURNING id' USING 'x'; END`)};
CREATE FUNCTION set() RETURNS void ${block(`BEGIN EXECUTE 'SELECT setval(''numbers'', 9)'; END`)};
CREATE FUNCTION locked() RETURNS void ${block(`BEGIN EXECUTE 'SELECT pg_advisory_lock(1)'; END`)};
CREATE FUNCTION ran() RETURNS void ${block(`BEGIN EXECUTE 'SELECT query_to_xml(''INSERT INTO notes VALUES (6)'', true, true, '''')'; END`)};
CREATE FUNCTION moved() RETURNS void ${block(`BEGIN EXECUTE 'SELECT set_config(''search_path'', ''pg_temp'', true)'; END`)};
CREATE FUNCTION defined() RETURNS void ${block(`BEGIN EXECUTE 'CREATE TABLE made (id int)'; END`)};
`;

suite('attacks by texts that code runs', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(hostile);
  });
  test.after(() => proxied.stop());

  const refused: Readonly<Record<string, RegExp>> = {
    'SELECT formatted()': /0A000|25006/,
    'SELECT changed(1)': /0A000/,
    'SELECT swallowed()': /0A000/,
    "SELECT named('notes')": /25006/,
    'SELECT told()': /cannot notify in a staged session/,
    'SELECT upserted()': /25006/,
    'SELECT returned()': /25006/,
    'SELECT set()': /25006/,
    'SELECT ran()': /25006|0A000/,
    'SELECT defined()': /25006/,
  };
  const send = async (...texts: string[]) => {
    const before = await proxied.contents();
    const session = await proxied.daemon.newSession({ reads: 'staged' });
    const answers = await runScript(proxied.daemon.clientUrl(session), texts.map(q));
    assert.equal(await proxied.contents(), before);
    const { body } = await proxied.daemon.call('GET', `/sessions/${session}/diff`);
    return { answer: answers.join('\n'), tables: Object.keys((body as { tables: object }).tables) };
  };
  for (const [text, error] of Object.entries(refused))
    test(`refused: ${text}`, async () => {
      const { answer, tables } = await send(text);
      assert.match(answer, error, answer);
      assert.equal(tables, []);
    });

  test('that lock or set', async () => {
    for (const text of ['SELECT locked()', 'SELECT moved()']) {
      const { tables } = await send(text, 'SELECT 1');
      assert.equal(tables, []);
    }
  });

  test('with hostile values', async () => {
    const { answer, tables } = await send(
      `SELECT injected('''); DELETE FROM notes; --')`,
      `UPDATE notes SET id = 6`,
      `SELECT injected(E'\\\\''; DELETE FROM notes; --')`,
      'SELECT what FROM notes ORDER BY id',
    );
    assert.equal([tables, answer.match(/DELETE FROM notes; --/g)?.length], [['notes'], 2]);
  });
});
