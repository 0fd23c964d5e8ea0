/** Triggers with compiled functions that change only the row fire while staging: search vectors, times, names. */
import { assertAlike } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { q, runScript } from '../helpers/wire-script.ts';

const schema = `
CREATE TABLE pages (id int PRIMARY KEY, title text, body varchar, config regconfig DEFAULT 'simple', likes int DEFAULT 0, found tsvector, "Also" tsvector);
INSERT INTO pages (id, title, body, found) VALUES (1, 'The first', NULL, 'kept:1'), (2, 'The second', 'Dogs run to the', NULL);
CREATE TRIGGER by_words BEFORE INSERT OR UPDATE ON pages FOR EACH ROW EXECUTE FUNCTION tsvector_update_trigger(found, 'pg_catalog.english', title, body);
CREATE TRIGGER by_column BEFORE INSERT OR UPDATE ON pages FOR EACH ROW WHEN (NEW.id < 90)
  EXECUTE FUNCTION tsvector_update_trigger_column("Also", config, body);
CREATE TABLE likes (page int PRIMARY KEY);
CREATE FUNCTION liked() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN UPDATE pages SET likes = likes + 1, title = title || ' liked' WHERE id = NEW.page; RETURN NULL; END$$;
CREATE TRIGGER liked AFTER INSERT ON likes FOR EACH ROW EXECUTE FUNCTION liked();
CREATE TABLE quiet (id int PRIMARY KEY, n int, doubled int GENERATED ALWAYS AS (n * 2) STORED);
INSERT INTO quiet VALUES (1, 1), (2, 2);
CREATE TRIGGER quiet BEFORE UPDATE ON quiet FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger();
CREATE EXTENSION moddatetime;
CREATE FUNCTION insert_username() RETURNS trigger LANGUAGE c AS '$libdir/insert_username';
CREATE TABLE stamped (id int PRIMARY KEY, "By" text, at timestamptz DEFAULT '2000-01-01', short timestamp(0));
INSERT INTO stamped VALUES (1);
CREATE TRIGGER b BEFORE INSERT ON stamped FOR EACH ROW EXECUTE FUNCTION insert_username("By");
CREATE TRIGGER c BEFORE UPDATE ON stamped FOR EACH ROW EXECUTE FUNCTION moddatetime(at);
CREATE TABLE rounded (id int PRIMARY KEY, short timestamp(0));
CREATE TRIGGER rounded BEFORE UPDATE ON rounded FOR EACH ROW EXECUTE FUNCTION moddatetime(short);
CREATE TABLE wrong (id int PRIMARY KEY, found int, title text);
CREATE TRIGGER wrong BEFORE INSERT ON wrong FOR EACH ROW EXECUTE FUNCTION tsvector_update_trigger(found, 'pg_catalog.english', title);
CREATE TABLE deleted (id int PRIMARY KEY);
CREATE TRIGGER deleted BEFORE DELETE ON deleted FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger();
`;

const stories: Readonly<Record<string, readonly string[]>> = {
  'a search vector is that of the words': [
    `INSERT INTO pages (id, title, body) VALUES (3, 'A third', 'to be the'), (4, NULL, ''), (95, 'x', 'y') RETURNING found, "Also"`,
    `UPDATE pages SET body = 'running dogs' WHERE id < 3 RETURNING found, "Also"`,
    `INSERT INTO pages (id, title) VALUES (2, 'in the way') ON CONFLICT (id) DO UPDATE SET title = excluded.title RETURNING found`,
    `SELECT id FROM pages WHERE found @@ to_tsquery('english', 'dog')`,
    'COPY (SELECT id, title, found, "Also" FROM pages ORDER BY id) TO STDOUT',
  ],
  'an update of other columns leaves a search vector as it is': [
    `UPDATE pages SET found = 'by:1 hand:2', "Also" = 'hand' WHERE id = 1 RETURNING found`,
    'UPDATE pages SET likes = 5 WHERE id = 1 RETURNING found, "Also"',
    'UPDATE pages SET likes = 6',
    'UPDATE pages SET title = title, body = body WHERE id = 1 RETURNING found, "Also"',
  ],
  'a search vector follows what another trigger sets': [
    'INSERT INTO likes VALUES (1), (2)',
    'TABLE pages ORDER BY id',
    'UPDATE pages SET likes = 0 WHERE id = 1 RETURNING *',
  ],
  'an update that changes nothing is none': [
    'UPDATE quiet SET n = 1',
    'UPDATE quiet SET n = 2 RETURNING *',
    'UPDATE quiet SET n = n WHERE id = 1',
  ],
  'an error of the function is that of the statement': [
    `INSERT INTO wrong VALUES (1, 1, 'x')`,
    'TABLE wrong',
  ],
};

suite('triggers with compiled functions', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  for (const [name, statements] of Object.entries(stories))
    test(name, async () => {
      await assertAlike(proxied, statements.map(q));
    });

  test('names and times are those of the trigger', async () => {
    const { daemon, database } = proxied;
    const session = await daemon.newSession({ reads: 'staged' });
    const answers = await runScript(daemon.clientUrl(session), [
      q(`INSERT INTO stamped (id) VALUES (2) RETURNING concat('by ', "By" = current_user) AS made`),
      q(
        `UPDATE stamped SET short = '2001-02-03' WHERE id = 1 RETURNING concat('at ', at = now(), "By") AS made`,
      ),
    ]);
    assert.match(answers.join(' '), /by t.*at t/);
    await daemon.call('POST', `/sessions/${session}/propose`);
    const { text } = await daemon.call('POST', `/sessions/${session}/approve`);
    assert.match(text, /"expected": ?"time"/);
    const [landed] = await database.query(
      `SELECT count(*) FILTER (WHERE at > '2001-01-01') AS n, count("By") AS named FROM stamped`,
    );
    assert.equal(landed, { n: '1', named: '1' });
  });

  test('a role without rights cannot lock the table through which one fires', async () => {
    const { daemon, database } = proxied;
    const session = await daemon.newSession({ reads: 'staged' });
    await runScript(daemon.clientUrl(session), [q('INSERT INTO pages (id) VALUES (80)')]);
    const [gate] = await database.query(
      `SELECT p.oid::regproc AS pass FROM pg_proc p WHERE p.proname ~ '^gate_' LIMIT 1`,
    );
    const answers = await runScript(database.url, [
      q('CREATE ROLE stranger'),
      q('SET ROLE stranger'),
      q(`SELECT ${gate?.['pass']}(NULL)`),
      q(`INSERT INTO stage.${String(gate?.['pass']).split('.')[1]} VALUES (1)`),
      q('RESET ROLE'),
      q('DROP ROLE stranger'),
    ]);
    const refusals = answers.filter((each) => each.startsWith('E '));
    assert.is(refusals.length, 2, answers.join('\n'));
    assert.match(refusals.join(' '), /stages in no session.*permission denied for table gate_/);
  });

  test('those that would refuse the row, or keep a fraction that the column rounds, fire at approval only', async () => {
    const { database } = proxied;
    const rows = await database.query(
      `SELECT c.relname, t ->> 'obstacle' AS obstacle FROM pg_class c CROSS JOIN LATERAL jsonb_array_elements(stage.table_triggers(c.oid)) t
       WHERE c.relnamespace = 'public'::regnamespace AND c.relname IN ('rounded', 'deleted', 'stamped') ORDER BY 1, t ->> 'name'`,
    );
    assert.equal(
      rows.map(({ relname, obstacle }) => [relname, obstacle]),
      [
        ['deleted', 'is not written in PL/pgSQL'],
        ['rounded', 'is not written in PL/pgSQL'],
        ...['stamped', 'stamped'].map((each) => [each, null]),
      ],
    );
  });
});
