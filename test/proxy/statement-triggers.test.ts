/** STATEMENT triggers fire while rows are staged, before and after the rows, with their transition tables. */
import { assertAlike } from '../helpers/alike.ts';
import { createRole, dropRoles, testRole } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { q, runScript } from '../helpers/wire-script.ts';

const reported = (name: string, head: string, more = '') => `
CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
  RAISE NOTICE '% % % % % %', TG_NAME, TG_WHEN, TG_LEVEL, TG_OP, TG_ARGV, NEW IS NULL; ${more} IF TG_LEVEL = 'ROW' AND TG_OP <> 'DELETE' THEN RETURN NEW; END IF; RETURN OLD; END $f$;
CREATE TRIGGER ${name} ${head} EXECUTE FUNCTION ${name}('x');`;

const every = 'INSERT OR UPDATE OR DELETE ON goods FOR EACH';
const schema = `
CREATE TABLE goods (id int PRIMARY KEY, kind text, price numeric(8, 2) DEFAULT 1, twice numeric GENERATED ALWAYS AS (price * 2) STORED);
INSERT INTO goods (id, kind) SELECT g, 'k' || g % 2 FROM generate_series(1, 4) g;
${reported('first', `BEFORE ${every} STATEMENT`, `IF TG_OP = 'DELETE' AND current_setting('app.closed', true) = 'yes' THEN RAISE EXCEPTION 'closed' USING ERRCODE = 'P0077'; END IF;`)}
${reported('before_row', `BEFORE ${every} ROW`)}
${reported('after_row', `AFTER ${every} ROW`)}
${reported('last', `AFTER ${every} STATEMENT`)}
${reported('of_price', 'AFTER UPDATE OF price ON goods FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0)')}
CREATE TABLE totals (kind text PRIMARY KEY, n int, sum numeric);
INSERT INTO totals VALUES ('k0', 2, 2), ('k1', 2, 2);
CREATE TABLE log (id int, what text, rows jsonb, PRIMARY KEY (id, what));
${reported('of_log', 'AFTER INSERT ON log FOR EACH STATEMENT')}
CREATE FUNCTION counted() RETURNS trigger LANGUAGE plpgsql AS $f$ DECLARE each record; BEGIN
  FOR each IN SELECT kind, count(*) AS n, sum(price) FROM made GROUP BY kind ORDER BY 1 LOOP RAISE NOTICE 'made %', each; END LOOP;
  UPDATE totals t SET n = t.n + m.n, sum = t.sum + m.sum FROM (SELECT made.kind, count(*) AS n, sum(price) FROM made GROUP BY 1) m WHERE m.kind = t.kind;
  INSERT INTO log SELECT n.id, TG_OP, to_jsonb(n) FROM made n;
  RETURN NULL; END $f$;
CREATE TRIGGER counted AFTER INSERT ON goods REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION counted();
CREATE FUNCTION compared() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
  INSERT INTO log SELECT goods.id, concat(TG_OP, (SELECT max(l.id) FROM log l)), jsonb_build_array("Was".price, goods.price, goods.twice)
    FROM "Was" JOIN goods ON goods.id = "Was".id WHERE "Was".price <> goods.price;
  RETURN NULL; END $f$;
CREATE TRIGGER compared AFTER UPDATE ON goods REFERENCING OLD TABLE AS "Was" NEW TABLE AS goods FOR EACH STATEMENT EXECUTE FUNCTION compared();
CREATE TABLE heads (id int PRIMARY KEY);
CREATE TABLE parts (id int PRIMARY KEY, head int REFERENCES heads ON DELETE CASCADE);
${reported('of_parts', 'AFTER DELETE ON parts FOR EACH STATEMENT')}
${reported('of_new_parts', 'AFTER INSERT ON parts FOR EACH STATEMENT')}
CREATE TABLE hidden (id int PRIMARY KEY);
CREATE TABLE moved (id int PRIMARY KEY);
CREATE FUNCTION hides() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN DELETE FROM hidden; RETURN NULL; END $f$;
CREATE TRIGGER hides AFTER INSERT ON moved REFERENCING NEW TABLE AS hidden FOR EACH STATEMENT EXECUTE FUNCTION hides();
`;

const seen = ['TABLE goods ORDER BY id', 'TABLE totals ORDER BY 1', 'TABLE log ORDER BY 1, 2'];

const stories: Readonly<Record<string, readonly string[]>> = {
  'in the order of PostgreSQL': [
    `INSERT INTO goods (id, kind) VALUES (5, 'k1')`,
    'UPDATE goods SET price = 3 WHERE id = 5 RETURNING twice',
    `UPDATE goods SET kind = 'k0' WHERE id = 1`,
    'DELETE FROM goods WHERE id = 2',
    'TRUNCATE hidden',
    ...seen,
  ],
  'for upserts and merges, for each of their operations': [
    `INSERT INTO goods (id, kind) VALUES (1, 'k9'), (18, 'k1') ON CONFLICT (id) DO UPDATE SET price = goods.price + 1`,
    `INSERT INTO goods (id, kind) VALUES (1, 'k9'), (19, 'k0') ON CONFLICT DO NOTHING`,
    `MERGE INTO goods g USING (VALUES (1), (3)) v(id) ON g.id = v.id WHEN MATCHED THEN DELETE`,
    ...seen,
  ],
  'for several rows, from a query and a COPY': [
    `INSERT INTO goods (id, kind, price) SELECT g, 'k1', 2 FROM generate_series(30, 32) g`,
    `WITH m AS (INSERT INTO goods (id, kind) VALUES (40, 'k0') RETURNING id) SELECT * FROM m`,
    ...seen,
  ],
  'for no rows': ['DELETE FROM goods WHERE false'],
  'with an error that stops the statement': [
    `SET app.closed = 'yes'`,
    'DELETE FROM goods',
    'SELECT count(*) FROM goods',
    `SET app.closed = ''`,
  ],
};

const writer = testRole('writer');

for (const role of [null, writer])
  suite(`STATEMENT triggers, for ${role === null ? 'a superuser' : 'a role that is none'}`, (test) => {
    let proxied: Proxied;
    test.before(async () => {
      proxied = await startProxied(schema);
      await proxied.database.query(createRole(writer));
      for (const { query } of [proxied.database, proxied.twin])
        await query(`GRANT ALL ON ALL TABLES IN SCHEMA public TO ${writer.name}`);
    });
    test.after(async () => {
      await dropRoles(proxied, [writer]);
      await proxied.stop();
    });

    for (const [name, statements] of Object.entries(stories))
      test(
        `fire ${name}`,
        async () => {
          await assertAlike(proxied, statements.map(q), role === null ? {} : { role });
        },
        { timeout: 120_000 },
      );
  });

suite('STATEMENT triggers', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  test('rows of one statement are unstaged with what a trigger wrote for them', async () => {
    const { daemon } = proxied;
    const session = await daemon.newSession({ reads: 'staged' });
    const url = daemon.clientUrl(session);
    await runScript(url, [q(`INSERT INTO goods (id, kind) VALUES (50, 'k0'), (51, 'k0')`)]);
    const { status, text } = await daemon.call('POST', `/sessions/${session}/unstage`, {
      json: { rows: [{ table: 'goods', row_id: 51 }], with_dependents: true },
    });
    assert.is(status, 200, text);
    const left = await runScript(url, [
      q('SELECT count(*) FROM goods WHERE id >= 50'),
      q('SELECT count(*) FROM log WHERE id >= 50'),
    ]);
    assert.equal(left.filter((each) => each.startsWith('D')).slice(0, 2), [
      'D .\x01...\x010',
      'D .\x01...\x010',
    ]);
  });

  test('one that writes does not fire for a statement without rows, nor for an upsert that updates none', async () => {
    const { daemon, database } = proxied;
    await database.query(`CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN UPDATE totals SET n = n + 1; RETURN NULL; END $f$;
      CREATE TABLE quiet (id int PRIMARY KEY); CREATE TRIGGER noted AFTER UPDATE OR DELETE ON quiet FOR EACH STATEMENT EXECUTE FUNCTION noted()`);
    const session = await daemon.newSession({ reads: 'staged' });
    const answers = await runScript(daemon.clientUrl(session), [
      q('SELECT sum(n) FROM totals'),
      q('DELETE FROM quiet'),
      q('INSERT INTO quiet VALUES (1) ON CONFLICT (id) DO UPDATE SET id = 2'),
      q('SELECT sum(n) FROM totals'),
    ]);
    const [before, after] = answers.filter((each) => each.startsWith('D '));
    assert.is(after, before);
    assert.ok(answers.includes('C DELETE 0.'), answers.join('\n'));
  });

  test('those that cannot be followed fire at approval only', async () => {
    const { daemon, database } = proxied;
    const session = await daemon.newSession({ reads: 'staged' });
    await runScript(daemon.clientUrl(session), [
      q('INSERT INTO parts VALUES (1, NULL)'),
      q('INSERT INTO moved VALUES (1)'),
    ]);
    const [row] = await database.query(
      `SELECT json_object_agg(t ->> 'name', t -> 'obstacle') AS found FROM stage.overlay o CROSS JOIN LATERAL jsonb_array_elements(o.triggers) t WHERE o.table_name IN ('parts', 'moved')`,
    );
    assert.equal(row?.['found'], {
      of_parts: 'fires for statements that foreign keys make',
      of_new_parts: null,
      hides: 'writes to a transition table',
    });
  });
});
