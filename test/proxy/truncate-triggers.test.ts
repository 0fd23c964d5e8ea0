/** Triggers for TRUNCATE fire while it is staged, if they only read: a refusal of theirs is heard there, because approval deletes the rows. */
import { approveStories, assertAlike } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { q, run, runScript, s } from '../helpers/wire-script.ts';

const reported = (name: string, head: string, more = '') => `
CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
  RAISE NOTICE '% % % % % % %', TG_NAME, TG_WHEN, TG_LEVEL, TG_OP, TG_TABLE_NAME, TG_ARGV, NEW IS NULL AND OLD IS NULL; ${more} RETURN NULL; END $f$;
CREATE TRIGGER ${name} ${head} FOR EACH STATEMENT EXECUTE FUNCTION ${name}('x');`;

const schema = `
CREATE TABLE goods (id int PRIMARY KEY, n int);
INSERT INTO goods SELECT g, g FROM generate_series(1, 4) g;
${reported('first', 'BEFORE TRUNCATE ON goods', `RAISE NOTICE 'had %', (SELECT count(*) FROM goods);`)}
${reported('guard', 'BEFORE TRUNCATE ON goods', `IF current_setting('app.closed', true) = 'yes' THEN RAISE EXCEPTION 'closed' USING ERRCODE = 'P0078'; END IF;`)}
${reported('every', 'BEFORE INSERT OR DELETE OR TRUNCATE ON goods')}
${reported('last', 'AFTER DELETE OR TRUNCATE ON goods', `RAISE NOTICE 'has %', (SELECT count(*) FROM goods);`)}
${reported('never', 'AFTER TRUNCATE ON goods', `RAISE NOTICE 'disabled';`)}
ALTER TABLE goods DISABLE TRIGGER never;
CREATE TABLE parts (id int PRIMARY KEY, good int REFERENCES goods);
INSERT INTO parts VALUES (1, 1);
${reported('of_parts', 'AFTER TRUNCATE ON parts', `IF current_setting('app.parts', true) = 'no' THEN RAISE EXCEPTION 'no parts' USING ERRCODE = 'P0079'; END IF;`)}
CREATE TABLE empty (id int PRIMARY KEY);
${reported('of_empty', 'BEFORE TRUNCATE ON empty')}
CREATE TABLE log (id int PRIMARY KEY, what text);
CREATE TABLE noted (id int PRIMARY KEY);
INSERT INTO noted VALUES (1);
CREATE FUNCTION notes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log SELECT count(*), TG_OP FROM log; RETURN NULL; END $$;
CREATE TRIGGER notes AFTER INSERT OR TRUNCATE ON noted FOR EACH STATEMENT EXECUTE FUNCTION notes();
`;

suite('triggers for TRUNCATE', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  const statements = [
    `SET app.closed = 'yes'`,
    'TRUNCATE goods, parts',
    'DELETE FROM goods WHERE id = 4',
    'SELECT count(*) FROM goods',
    `SET app.closed = ''`,
    `SET app.parts = 'no'`,
    'TRUNCATE parts',
    'SELECT count(*) FROM parts',
    `SET app.parts = ''`,
    'TRUNCATE empty',
    'TRUNCATE parts',
    'BEGIN',
    'TRUNCATE parts, goods',
    'INSERT INTO goods VALUES (1, 1)',
    'COMMIT',
    'TABLE goods ORDER BY id',
  ];
  for (const [way, send] of Object.entries({
    simple: q,
    extended: (text: string) => Buffer.concat([run(text), s]),
  }))
    test(
      `fire as they do directly: ${way}`,
      async () => {
        await assertAlike(proxied, statements.map(send));
      },
      { timeout: 120_000 },
    );

  test('fire for tables that a cascade reaches', async () => {
    const script = [
      'INSERT INTO parts VALUES (7)',
      'TRUNCATE goods CASCADE',
      `SET app.parts = 'no'`,
    ];
    const again = [...script, 'TRUNCATE goods CASCADE', 'TRUNCATE goods, parts'].map(q);
    await assertAlike(proxied, again);
  });

  const of = (by: string) => (text: string) => ({ by, text, refused: null });
  const [send, alter] = [of('client'), of('production')];
  const changed = (name: string) =>
    alter(
      `CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN RAISE EXCEPTION 'changed ${name}' USING ERRCODE = 'P0080'; END $f$`,
    );
  approveStories(test, () => proxied, {
    'fire as they are now, also those of tables that a cascade reaches': [
      ...['INSERT INTO parts VALUES (8)', 'TRUNCATE goods CASCADE'].map(send),
      changed('of_parts'),
      send('TRUNCATE goods CASCADE'),
      send('DELETE FROM parts'),
      changed('first'),
      send('TRUNCATE goods, parts'),
      send('TABLE parts'),
    ],
  });

  test('do not fire if they write, and are listed with the reason', async () => {
    const { daemon } = proxied;
    const session = await daemon.newSession({ reads: 'staged' });
    const answers = await runScript(daemon.clientUrl(session), [
      q('TRUNCATE noted'),
      q('INSERT INTO noted VALUES (2)'),
      q('SELECT count(*) FROM log'),
    ]);
    assert.ok(answers.includes('D .\x01...\x010'), answers.join('\n'));
    const { body } = await daemon.call('GET', `/sessions/${session}/diff`);
    assert.match(JSON.stringify(body), /writes for TRUNCATE, which approval applies as deletions/);
  });
});
