/** INSERT ... ON CONFLICT in functions, procedures and triggers: it is staged as PostgreSQL runs it, with the values of their variables. */
import { assertAlike } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { q, run, s } from '../helpers/wire-script.ts';

// numbers that approval draws anew are in tables of another schema: `contents` has those of public

/** Values of many types, each in a column of its own; hostile ones among them. */
const values: Readonly<Record<string, string>> = {
  text: `'); DROP TABLE x; -- ''" \\ $body$ $1 %s'`,
  bytea: `'\\xdeadbeef00'`,
  'char(5)': `'ab'`,
  'numeric(12,4)': '1234.5',
  float8: '0.1::float8 + 0.2::float8',
  timestamptz: `'2024-02-29 12:34:56.789+05'`,
  interval: `'1 mon -3 days 04:05:06.7'`,
  'int[]': `'{1,NULL,3}'`,
  jsonb: `'{"a": "\\"''"}'`,
  varbit: `B'10110'`,
  positive: '7',
  mood: `'so so'`,
  numrange: `'[1.5,9)'`,
};
const types = Object.keys(values);
const columns = types.map((type, at) => `c${at} ${type}`).join(', ');

const schema = `
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE TYPE mood AS ENUM ('so so', 'well');
CREATE TABLE typed (id int PRIMARY KEY, ${columns}, blanks int);
CREATE FUNCTION put(p_id int, p typed) RETURNS void LANGUAGE plpgsql AS $$ BEGIN NULL; END $$;
CREATE PROCEDURE fill(p_id int) LANGUAGE plpgsql AS $f$
DECLARE ${types.map((type, at) => `v${at} ${type} := ${values[type]};`).join(' ')} nothing text;
BEGIN
  INSERT INTO typed AS t (id) VALUES (p_id) ON CONFLICT (id) DO UPDATE SET ${types.map((_, at) => `c${at} = v${at}`).join(', ')}, blanks = octet_length(v${types.indexOf('char(5)')}) WHERE nothing IS NULL AND t.id = p_id;
END $f$;
CREATE TABLE counts (name text PRIMARY KEY, n int NOT NULL DEFAULT 0 CHECK (n < 100), changes int NOT NULL DEFAULT 0);
INSERT INTO counts VALUES ('a', 1);
CREATE FUNCTION changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.changes := OLD.changes + 1; RETURN NEW; END $$;
CREATE TRIGGER changed BEFORE UPDATE ON counts FOR EACH ROW EXECUTE FUNCTION changed();
CREATE TABLE seen (name text, op text, n int, times int DEFAULT 1, PRIMARY KEY (name, op));
CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO seen AS s (name, op, n) VALUES (NEW.name, TG_OP, NEW.n)
  ON CONFLICT ON CONSTRAINT seen_pkey DO UPDATE SET times = s.times + 1, n = greatest(excluded.n, NEW.n);
  RETURN NULL; END $$;
CREATE TRIGGER see AFTER INSERT OR UPDATE ON counts FOR EACH ROW EXECUTE FUNCTION see();
CREATE TABLE words (id int PRIMARY KEY, name text, weight int DEFAULT 1);
CREATE FUNCTION count_word() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE found_n int;
BEGIN
  INSERT INTO counts (name, n) VALUES (NEW.name, NEW.weight) ON CONFLICT (name) DO UPDATE SET n = counts.n + NEW.weight
  WHERE counts.n <> NEW.weight * 50 RETURNING counts.n INTO found_n;
  IF NOT FOUND THEN RAISE NOTICE 'not counted: %', NEW.name; END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER count_word AFTER INSERT OR UPDATE ON words FOR EACH ROW EXECUTE FUNCTION count_word();
CREATE SCHEMA aside;
CREATE TABLE aside.tags (id int GENERATED ALWAYS AS IDENTITY, tag text, live boolean DEFAULT true, label text PRIMARY KEY);
CREATE UNIQUE INDEX live_tags ON aside.tags (lower(tag)) WHERE live;
CREATE FUNCTION tag_word() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO aside.tags (tag, label) VALUES (NEW.name, NEW.id || NEW.name) ON CONFLICT (lower(tag)) WHERE live DO NOTHING;
  INSERT INTO aside.tags (tag, label) SELECT x, 'of ' || x FROM unnest(ARRAY[NEW.name, 'always']) u(x) ON CONFLICT DO NOTHING;
  RETURN NULL; END $$;
CREATE TRIGGER tag_word AFTER INSERT ON words FOR EACH ROW EXECUTE FUNCTION tag_word();
CREATE FUNCTION bump(p_name text, p_by int = 1) RETURNS TABLE (at text, total int) LANGUAGE sql AS $$
  INSERT INTO counts AS c (name, n) VALUES (p_name, $2), (p_name || '+', 1)
  ON CONFLICT (name) DO UPDATE SET (n, changes) = (c.n + p_by, 0) RETURNING c.name, c.n $$;
CREATE FUNCTION twice(p_name text) RETURNS int LANGUAGE plpgsql AS $$ DECLARE v int := 0; BEGIN
  FOR i IN 1..3 LOOP
    IF i > 1 THEN INSERT INTO counts (name, n) VALUES (p_name, i) ON CONFLICT (name) DO UPDATE SET n = counts.n + i * 10 RETURNING n INTO v; END IF;
  END LOOP;
  BEGIN
    INSERT INTO counts (name, n) VALUES (p_name, 99), (p_name, 98) ON CONFLICT (name) DO UPDATE SET n = excluded.n + v - v;
  EXCEPTION WHEN cardinality_violation THEN RAISE NOTICE 'twice';
  END;
  BEGIN
    INSERT INTO counts (name, n) VALUES (p_name, 1) ON CONFLICT (name) DO UPDATE SET n = v + 100;
  EXCEPTION WHEN check_violation THEN RAISE NOTICE '%', SQLERRM;
  END;
  RETURN v; END $$;
`;
const seen = ['counts', 'seen', 'words', 'aside.tags'].map((name) => `TABLE ${name} ORDER BY 1, 2`);
const typed = `SELECT ${types.map((type, at) => `c${at}::${/^[pm]/.test(type) ? 'text' : type}`).join(', ')}, blanks FROM typed`;
const texts = [
  'CALL fill(1)',
  typed,
  'SET extra_float_digits = 0; SET bytea_output = escape; SET "DateStyle" = \'German\'',
  'CALL fill(1)',
  'SET extra_float_digits = 3',
  typed,
  `INSERT INTO words VALUES (1, 'a'), (2, 'b'), (3, 'a', 5)`,
  ...seen,
  `INSERT INTO words VALUES (4, 'b', 0), (5, 'A', 1) RETURNING id`,
  'UPDATE words SET weight = weight + 1 WHERE id < 3',
  `INSERT INTO words VALUES (6, 'a', 95)`,
  ...seen,
  `SELECT * FROM bump('c', 4)`,
  `SELECT * FROM bump(p_name => 'c')`,
  `SELECT twice('d')`,
  `SELECT twice('d')`,
  'BEGIN',
  `INSERT INTO words VALUES (7, 'e')`,
  `SELECT * FROM bump('x', 3)`,
  'SAVEPOINT s',
  `SELECT twice('y')`,
  'ROLLBACK TO s',
  `UPDATE words SET name = 'e' WHERE id = 7`,
  'COMMIT',
  ...seen,
];

suite('upserts in functions and triggers', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  test('are staged: simple', () => assertAlike(proxied, texts.map(q)).then(() => undefined), {
    timeout: 120_000,
  });

  test(
    'are staged: extended',
    async () => {
      for (const { query } of [proxied.database, proxied.twin])
        await query('TRUNCATE words, counts, seen, aside.tags, typed RESTART IDENTITY');
      const single = texts.flatMap((text) =>
        text.split('; SET').map((each, at) => (at ? `SET${each}` : each)),
      );
      await assertAlike(
        proxied,
        single.flatMap((text) => [run(text), s]),
      );
    },
    { timeout: 120_000 },
  );

  test('are refused where their clause cannot be followed', async () => {
    const { daemon, database } = proxied;
    const client = await proxied.connect(
      daemon.clientUrl(await daemon.newSession({ reads: 'staged' })),
    );
    const upsert = (text: string) => `INSERT INTO counts AS c (name, n) VALUES ('z', 1) ${text}`;
    const set = 'ON CONFLICT (name) DO UPDATE SET n =';
    for (const [body, reason] of [
      [upsert(`${set} (SELECT max(n) FROM counts)`), /does more than/],
      [upsert(`${set} (c).n`), /does more than/],
      [upsert(`${set} c.n + changes`), /names changes without a table/],
      [upsert(`${set} reading()`), /clause that cannot be followed/],
      [upsert('ON CONFLICT (changes) DO NOTHING'), /for no index of counts/],
      [`WITH x AS (${upsert(`${set} 1`)}) ${upsert(`${set} 2`)}`, /does more than/],
    ] as const) {
      await database.query(
        `CREATE OR REPLACE FUNCTION reading() RETURNS int LANGUAGE sql STABLE AS 'SELECT count(*)::int FROM counts';
        CREATE OR REPLACE PROCEDURE refused() LANGUAGE plpgsql AS $f$ DECLARE r record; changes int := 1; BEGIN ${body}; END $f$`,
      );
      const { message } = await rejects(client.query('CALL refused()'));
      assert.match(message, /^CALL of refused\(\) cannot be staged/, body);
      assert.match(message, reason, body);
    }
  });

  test('need the right to update', async () => {
    const { daemon, database } = proxied;
    const role = await createRole(
      database,
      'GRANT SELECT, INSERT ON counts, seen TO $role; GRANT SELECT ON aside.tags TO $role',
    );
    const session = await daemon.newSession({ reads: 'staged' });
    const client = await proxied.connect(daemon.clientUrl(session, role.name, role.name));
    const text = `SELECT * FROM bump('new', 1)`;
    const direct = await role.connect();
    const codes = [await rejects(client.query(text)), await rejects(direct.query(text))];
    assert.equal(
      codes.map(({ code, message }) => [code, message]),
      [
        ['42501', 'permission denied for table counts'],
        ['42501', 'permission denied for table counts'],
      ],
    );
    await client.end();
    await role.drop();
  });

  test('are followed when the indexes of their table change', async () => {
    const { daemon, database, twin } = proxied;
    const client = await proxied.connect(
      daemon.clientUrl(await daemon.newSession({ reads: 'staged' })),
    );
    for (const change of [
      'SELECT 1',
      'ALTER TABLE seen DROP CONSTRAINT seen_pkey; ALTER TABLE seen ADD CONSTRAINT seen_pkey PRIMARY KEY (name)',
    ]) {
      for (const { query } of [database, twin]) await query(`TRUNCATE seen; ${change}`);
      const direct = await proxied.connect(twin.url);
      const ask = `INSERT INTO words VALUES (50, 'f'), (51, 'f'), (52, 'g')`;
      const look = 'SELECT name, op, times FROM seen ORDER BY 1, 2';
      const found: unknown[] = [];
      for (const each of [client, direct]) {
        await each.query('BEGIN');
        await each.query(ask);
        found.push((await each.query(look)).rows);
        await each.query('ROLLBACK');
      }
      assert.equal(found[0], found[1], change);
    }
  });
});
