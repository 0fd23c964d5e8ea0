/**
 * Random functions and procedures that write, and functions that read in statements that write, called between ordinary statements: they are
 * answered as they are directly, and production is what it would be once they are approved. STAGE_TEST_STATEMENTS scripts, from STAGE_TEST_SEED on.
 */
import { assertAlike } from '../helpers/alike.ts';
import { createRole, dropRoles, testRole } from '../helpers/both-ways.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRandom } from '../helpers/random.ts';
import { sortRuns } from '../helpers/sort-runs.ts';
import { suite } from '../helpers/suite.ts';
import { q, run, s } from '../helpers/wire-script.ts';

type Pick = (below: number) => number;

const scripts = drawn(2, 'STATEMENTS');
const first = firstSeed();

const owner = testRole('owner');

/** Whether some functions of a seed run with the rights of their owner. */
const isOwned = (seed: number) => seed % 3 === 0;

const one = (pick: Pick, ...texts: readonly string[]) => texts[pick(texts.length)] ?? '';

/** The statements of a body in SQL, as a text or analysed. */
const statements = (pick: Pick, text: string) =>
  one(pick, `AS '${text}'`, `BEGIN ATOMIC ${text}; END`);

/** Draws a statement of a body. @param at the number of the function: it calls those before it */
function drawPart(pick: Pick, seed: number, at: number, depth = 0): string {
  const [a, b] = [`f${seed}_a`, `f${seed}_b`];
  const n = () => one(pick, 'p', 'v', String(pick(8)));
  const parts: (() => string)[] = [
    () => `INSERT INTO ${a} (id, n) VALUES (${n()}, ${n()});`,
    () => `INSERT INTO ${a} VALUES (${pick(12)}, ${n()}) RETURNING n INTO v;`,
    () =>
      `INSERT INTO ${b} (a, note) SELECT id, 'of ' || n FROM ${a} WHERE n > ${n()} ORDER BY id;`,
    () => `UPDATE ${a} SET n = n + ${n()} WHERE id % 3 = ${pick(3)};`,
    () =>
      `UPDATE ${a} x SET n = y.c FROM (SELECT a, count(*) AS c FROM ${b} GROUP BY a) y WHERE y.a = x.id;`,
    () => `UPDATE ${a} SET id = id + 20 WHERE id = ${n()} RETURNING id INTO v;`,
    () => `DELETE FROM ${one(pick, a, b)} WHERE id = ${n()};`,
    () =>
      `INSERT INTO ${a} AS x (id, n) VALUES (${n()}, ${n()}) ON CONFLICT ${one(pick, 'DO NOTHING', '(id) DO NOTHING', '(id) DO UPDATE SET n = x.n + v', '(id) DO UPDATE SET n = excluded.n + p, id = x.id + 0 WHERE x.n < v + 20')};`,
    () =>
      `INSERT INTO ${a} SELECT id + ${pick(4)}, n FROM ${a} ORDER BY id ON CONFLICT (id) DO UPDATE SET n = greatest(${a}.n, excluded.n, v);`,
    () =>
      `EXECUTE format('UPDATE %I SET n = n + $1 WHERE id %% 3 = %s', '${a}', '${pick(3)}') USING ${n()};`,
    () => `EXECUTE 'SELECT coalesce(sum(n), 0) % 9 FROM ${a} WHERE n > $1' INTO v USING ${n()};`,
    () =>
      `EXECUTE 'INSERT INTO ' || quote_ident('${b}') || ' (a, note) VALUES ($1, ' || quote_literal(v) || ')' USING ${n()};`,
    // the name of a column is known only when the text runs
    () =>
      `EXECUTE format('SELECT coalesce(sum(%I), 0) %% 9 FROM ${a} WHERE %2$I > $1', CASE WHEN v > ${pick(6)} THEN 'n' ELSE 'id' END, lower('${one(pick, 'N', 'id')}')) INTO v USING ${n()};`,
    () =>
      `FOR r IN EXECUTE 'SELECT id, n FROM ${a} ORDER BY ' || quote_ident(left('${one(pick, 'n', 'id')}x', -1)) || ', id LIMIT 2' LOOP v := r.id; END LOOP;`,
    () => `GET DIAGNOSTICS v = ROW_COUNT;`,
    ...(isOwned(seed) ? [() => `RAISE NOTICE '% as %', v, current_user;`] : []),
    () => `IF FOUND THEN v := v + 1; ELSE RAISE NOTICE 'nothing at %', v; END IF;`,
    () => `SELECT coalesce(sum(n), 0) INTO v FROM ${a}; v := v % 9;`,
    () =>
      `IF (SELECT count(*) FROM ${b}) > ${pick(6)} THEN RAISE EXCEPTION 'too many' USING ERRCODE = 'P0001'; END IF;`,
  ];
  if (depth < 2) {
    const inner = () => drawPart(pick, seed, at, depth + 1);
    const caught = one(
      pick,
      'unique_violation',
      'check_violation',
      'raise_exception',
      'foreign_key_violation',
      'OTHERS',
    );
    parts.push(
      () => `FOR i IN 1..${1 + pick(3)} LOOP v := v + i; ${inner()} END LOOP;`,
      () => `FOR r IN SELECT id, n FROM ${a} ORDER BY id LOOP v := r.id; ${inner()} END LOOP;`,
      () =>
        `BEGIN ${inner()} ${inner()} EXCEPTION WHEN ${caught} THEN RAISE NOTICE '%', SQLSTATE; ${inner()} END;`,
      () => `IF v > ${pick(6)} THEN ${inner()} ELSE ${inner()} END IF;`,
    );
  }
  if (at > 0)
    parts.push(
      () => `v := v + coalesce(f${seed}_${pick(at)}(${n()}), 0);`,
      () => `PERFORM f${seed}_${pick(at)}(p + 1);`,
      () => `CALL f${seed}_q(${n()});`,
      () =>
        `INSERT INTO f${seed}_k${at} SELECT (SELECT count(*) FROM f${seed}_k${at}), f${seed}_${pick(at)}(${n()}) RETURNING n INTO v;`,
      () =>
        `INSERT INTO f${seed}_k${at} SELECT x.id + 20, x.id + f${seed}_${pick(at)}(x.id) FROM (SELECT id FROM ${a} ORDER BY id LIMIT ${1 + pick(2)}) x;`,
      // one row each: the order of rows is not PostgreSQL's
      () =>
        `UPDATE f${seed}_k${at} SET n = f${seed}_${pick(at)}(${n()})${one(pick, '', ', id = id + 40')} WHERE id = ${pick(3)} RETURNING n INTO v;`,
      () =>
        `DELETE FROM f${seed}_k${at} WHERE id = ${pick(3)} RETURNING f${seed}_${pick(at)}(n) INTO v;`,
    );
  if (at > 1) parts.push(() => `v := v + coalesce(f${seed}_again(${n()}, 1), 0);`);
  return parts[pick(parts.length)]?.() ?? '';
}

/** In staged writes, volatile functions that only read call none that run with the rights of an owner. */
const mark = (seed: number) =>
  isOwned(seed) ? `UPDATE f${seed}_w SET c = c + 1 WHERE id = 1;` : '';

const drawBody = (pick: Pick, seed: number, at: number, end: string) =>
  `DECLARE v int := ${pick(5)}; r record;\nBEGIN\n${Array.from({ length: 2 + pick(4) }, () => drawPart(pick, seed, at)).join('\n')}\n${mark(seed)}${end}\nEND`;

/** Gives the functions to a role that may do with the tables what they do. */
const owned = (seed: number) =>
  isOwned(seed)
    ? `GRANT ALL ON ALL TABLES IN SCHEMA public TO ${owner.name}; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${owner.name};
DO $do$ DECLARE r regprocedure; BEGIN FOR r IN SELECT oid FROM pg_proc WHERE proname LIKE 'f${seed}\\_%' AND pronamespace = 'public'::regnamespace LOOP
  EXECUTE format('ALTER ROUTINE %s OWNER TO ${owner.name}', r); END LOOP; END $do$;`
    : '';

/** Draws a DO. */
const drawBlock = (pick: Pick, seed: number) =>
  `DO $do$${drawBody(pick, seed, 3, '').replace('DECLARE ', 'DECLARE p int := 4; ')}$do$`;

/** Counts, in every other schema, the updates that name one column or another. */
const waiting = (seed: number) =>
  seed % 2 === 0
    ? ''
    : `ALTER TABLE f${seed}_a ADD seen int NOT NULL DEFAULT 0;
CREATE FUNCTION f${seed}_see() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN NEW.seen := OLD.seen + TG_ARGV[0]::int; RETURN NEW; END $f$;
CREATE TRIGGER of_n BEFORE UPDATE OF n ON f${seed}_a FOR EACH ROW EXECUTE FUNCTION f${seed}_see('1');
CREATE TRIGGER of_id BEFORE UPDATE OF id ON f${seed}_a FOR EACH ROW EXECUTE FUNCTION f${seed}_see('100');`;

/** Draws functions that only read: for staged writes, which show them what was staged. */
function drawReaders(pick: Pick, seed: number): string {
  const f = `f${seed}_`;
  const kind = () =>
    isOwned(seed)
      ? one(pick, 'STABLE SECURITY DEFINER', 'STABLE')
      : one(pick, 'STABLE', 'STABLE', 'VOLATILE');
  const from = () =>
    one(
      pick,
      `sum(n) FROM ${f}a WHERE id > p`,
      `count(*) FROM ${f}b WHERE a <> p`,
      `max(n) FROM ${f}k${1 + pick(3)}`,
    );
  return `CREATE FUNCTION ${f}read(p int) RETURNS int LANGUAGE sql ${kind()} ${statements(pick, `SELECT (coalesce((SELECT ${from()}), p) % 9)::int`)};
CREATE FUNCTION ${f}sees(p int) RETURNS int LANGUAGE plpgsql ${kind()} AS $f$ DECLARE v int := (SELECT ${from()});
BEGIN IF v > ${pick(9)} THEN RETURN v % 9 + ${f}read(p); END IF; RETURN coalesce((SELECT ${from()}), 1) % 11; END $f$;
CREATE FUNCTION ${f}ids(p int) RETURNS SETOF int LANGUAGE plpgsql STABLE ${isOwned(seed) ? 'SECURITY DEFINER' : ''} AS 'BEGIN RETURN QUERY SELECT id FROM ${f}a WHERE id >= p ORDER BY id; END';`;
}

/** Draws a statement that writes and calls functions which only read. */
function drawReadingWrite(pick: Pick, seed: number): string {
  const f = `f${seed}_`;
  const k = `${f}k${1 + pick(3)}`;
  const read = (p: string | number) => `${f}${one(pick, 'read', 'sees')}(${p})`;
  const stable = (p: string | number) => `(SELECT count(*)::int FROM ${f}ids(${p}))`;
  return one(
    pick,
    `SELECT ${read(pick(9))}, ${stable(pick(4))}, (SELECT count(*) FROM ${f}a WHERE ${read('id')} > 2)`,
    `INSERT INTO ${k} VALUES (${read(pick(9))} + ${pick(50)}, ${read(pick(9))}) RETURNING *, ${stable(1)}`,
    `INSERT INTO ${k} SELECT i + 60 + ${stable(pick(4))}, ${stable('i')} FROM ${f}ids(${pick(5)}) i RETURNING id`,
    // one row each: the order of rows is not PostgreSQL's
    `UPDATE ${k} SET n = ${read('id')} WHERE id = ${pick(4)} RETURNING n, ${read(1)}`,
    `UPDATE ${k} SET n = ${stable('id')} WHERE id % 2 = ${pick(2)} RETURNING id, n`,
    `UPDATE ${f}a SET n = (n + ${stable(1)}) % 30 WHERE id IN (SELECT ${f}ids(${pick(9)})) RETURNING id, n`,
    `DELETE FROM ${k} WHERE id = ${stable(pick(3))} RETURNING id, ${stable(2)}`,
    `DELETE FROM ${k} USING ${f}ids(${pick(6)}) i WHERE i = id AND n < ${stable(1)} + 9 RETURNING id`,
    `INSERT INTO ${k} AS k VALUES (${pick(5)}, ${read(1)}) ON CONFLICT (id) DO UPDATE SET n = k.n + ${read('excluded.n')} WHERE ${stable('k.id')} > ${pick(3)} RETURNING *`,
    `INSERT INTO ${k} VALUES (${pick(5)}, ${stable(1)}), (${5 + pick(5)}, ${read(2)}) ON CONFLICT DO NOTHING RETURNING *`,
    `MERGE INTO ${k} k USING (VALUES (${pick(4)}, ${stable(1)})) v(i, n) ON k.id = v.i WHEN MATCHED AND ${stable('k.n')} > ${pick(4)} THEN UPDATE SET n = v.n + ${read(2)} WHEN NOT MATCHED THEN INSERT VALUES (v.i, ${read('v.n')})`,
    `WITH w AS (SELECT ${read(3)} AS n) UPDATE ${k} SET n = w.n FROM w WHERE id = ${pick(4)} RETURNING ${k}.n`,
  );
}

/** Divides a table into two partitions in the schemas of some seeds. */
function parted(seed: number, table: string, limit: number): string {
  if (seed % 4 !== 1) return '';
  const name = `f${seed}_${table}`;
  return ` PARTITION BY RANGE (id); CREATE TABLE ${name}_low PARTITION OF ${name} FOR VALUES FROM (MINVALUE) TO (${limit});
CREATE TABLE ${name}_high PARTITION OF ${name} FOR VALUES FROM (${limit}) TO (MAXVALUE)`;
}

function drawSchema(pick: Pick, seed: number): string {
  // functions from some seeds on run with the rights of their owner
  const asOwner = () => (isOwned(seed) ? one(pick, '', 'SECURITY DEFINER') : '');
  const type = () => one(pick, 'int', 'int', `f${seed}_n`);
  const functions = [0, 1, 2].map(
    (at) =>
      `CREATE FUNCTION f${seed}_${at}(p ${type()}${at === 2 ? ' = 3' : ''}) RETURNS ${type()} LANGUAGE plpgsql ${one(pick, '', 'STRICT', 'SET search_path = public, pg_temp')} ${asOwner()} AS $f$${drawBody(pick, seed, at, 'RETURN v;')}$f$;`,
  );
  return `CREATE DOMAIN f${seed}_n AS int CONSTRAINT small CHECK (VALUE < 25);
CREATE TYPE f${seed}_t AS (a int, n int, past f${seed}_n[]);
CREATE TABLE f${seed}_a (id int PRIMARY KEY, n int CHECK (n < 40))${parted(seed, 'a', 4)};
INSERT INTO f${seed}_a SELECT i, i * 2 FROM generate_series(1, 5) i;
${waiting(seed)}
CREATE TABLE f${seed}_b (id serial PRIMARY KEY, a int REFERENCES f${seed}_a ON DELETE CASCADE ON UPDATE CASCADE, note text DEFAULT 'none')${parted(seed, 'b', 3)};
CREATE TABLE f${seed}_w (id int PRIMARY KEY, c int); INSERT INTO f${seed}_w VALUES (1, 0);
CREATE TABLE f${seed}_c (what text, n int REFERENCES f${seed}_a);
${[1, 2, 3].map((at) => `CREATE TABLE f${seed}_k${at} (id int PRIMARY KEY, n int)${parted(seed, `k${at}`, at)};`).join('\n')}
${functions.join('\n')}
CREATE FUNCTION f${seed}_again(p int, depth int) RETURNS int LANGUAGE plpgsql ${asOwner()} AS $f$${drawBody(pick, seed, 1, `IF depth < ${1 + pick(4)} THEN v := v + coalesce(f${seed}_again(v, depth + 1), 0); END IF; RETURN v;`)}$f$;
CREATE PROCEDURE f${seed}_q(p int) LANGUAGE plpgsql ${asOwner()} AS $f$${drawBody(pick, seed, 0, '')}$f$;
CREATE FUNCTION f${seed}_rows(p int) RETURNS SETOF int LANGUAGE plpgsql ${asOwner()} AS $f$${drawBody(pick, seed, 2, `RETURN NEXT v; RETURN QUERY UPDATE f${seed}_a SET n = n - 1 WHERE id < p RETURNING n;`)}$f$;
CREATE FUNCTION f${seed}_sql(p int) RETURNS bigint LANGUAGE sql ${asOwner()}
  ${statements(pick, `INSERT INTO f${seed}_b (a) VALUES (p); UPDATE f${seed}_a SET n = n - 1 WHERE id = p; SELECT sum(n) FROM f${seed}_a`)};
${drawReaders(pick, seed)}
CREATE FUNCTION f${seed}_typed(t f${seed}_t) RETURNS f${seed}_t LANGUAGE plpgsql ${asOwner()} AS $f$${drawBody(pick, seed, 3, 't.n := v; t.past := t.past || t.n; RETURN t;').replace('DECLARE ', 'DECLARE p int := t.a; ')}$f$;
CREATE PROCEDURE f${seed}_p(p int, INOUT o int) LANGUAGE plpgsql ${asOwner()} AS $f$${drawBody(pick, seed, 3, 'o := v;')}$f$;
${owned(seed)}`;
}

function drawStatement(pick: Pick, seed: number): string {
  const f = `f${seed}_`;
  return one(
    pick,
    `SELECT ${f}0(${pick(9)})`,
    `SELECT ${f}1(${pick(9)}) AS x, ${pick(3)} AS y`,
    `SELECT * FROM ${f}2()`,
    `SELECT ${f}2(p => ${pick(9)})`,
    `UPDATE ${f}k3 SET n = ${f}${pick(3)}(${pick(9)}) WHERE id = ${pick(4)} RETURNING n`,
    `DELETE FROM ${f}k3 WHERE id = ${pick(4)} RETURNING ${f}${pick(3)}(n)`,
    `SELECT ${f}1(NULL)`,
    `SELECT * FROM ${f}rows(${pick(9)})`,
    `SELECT ${f}sql(${pick(9)})`,
    `SELECT a, n, past::text FROM ${f}typed((${pick(9)}, ${pick(30)}, '{1}'))`,
    `SELECT (${f}typed(ROW(${pick(9)}, NULL, NULL))).n`,
    `CALL ${f}p(${pick(9)}, ${pick(3)})`,
    `SELECT ${f}again(${pick(9)}, 1)`,
    drawBlock(pick, seed),
    drawBlock(pick, seed),
    drawReadingWrite(pick, seed),
    drawReadingWrite(pick, seed),
    drawReadingWrite(pick, seed),
    drawReadingWrite(pick, seed),
    `INSERT INTO ${f}c VALUES ('${pick(9)}', ${f}${pick(3)}(${pick(9)})) RETURNING n`,
    `INSERT INTO ${f}c SELECT 'x', ${f}0(i) + ${pick(3)} * ${f}1(${pick(9)}) FROM generate_series(1, ${1 + pick(3)}) g(i)`,
    // in an order: the first row without a key in the other table is named
    `INSERT INTO ${f}c SELECT 'rows', x FROM ${f}rows(${pick(9)}) x ORDER BY x`,
    `UPDATE ${f}a SET n = ${pick(30)} WHERE id = ${pick(9)}`,
    `INSERT INTO ${f}a VALUES (${pick(12)}, ${pick(45)})`,
    `DELETE FROM ${f}a WHERE id = ${pick(9)}`,
    one(pick, 'BEGIN', 'COMMIT', 'ROLLBACK'),
    `SELECT * FROM ${f}a ORDER BY id`,
    `SELECT a, note FROM ${f}b ORDER BY id`,
    `SELECT * FROM ${f}c ORDER BY n, what`,
    `SELECT * FROM ${f}k${1 + pick(3)} ORDER BY id`,
  );
}

/** Sorts the rows of each statement: RETURNING has no order. */
const arrange = (answers: readonly string[]) => sortRuns(answers, 'D ');

suite('functions that write, at random', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied('');
    await proxied.database.query(createRole(owner));
  });
  test.after(async () => {
    await dropRoles(proxied, [owner]);
    await proxied.stop();
  });

  for (let seed = first; seed < first + scripts; seed += 1) {
    test(
      `write as they do directly (STAGE_TEST_SEED=${seed})`,
      async () => {
        const pick = createRandom(seed).below;
        const schema = drawSchema(pick, seed);
        for (const { query } of [proxied.database, proxied.twin]) await query(schema);
        const texts = Array.from({ length: 14 }, () => drawStatement(pick, seed));
        const send =
          seed % 2 === 0 ? (text: string) => [q(text)] : (text: string) => [run(text), s];
        await assertAlike(proxied, [...texts, 'COMMIT'].flatMap(send), { arrange });
      },
      { timeout: 120_000 },
    );
  }
});
