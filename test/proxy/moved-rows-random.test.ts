/**
 * Rows that updates move to other partitions, with random triggers: these fire as they do directly, for the update, the deletion and the
 * insertion. STAGE_TEST_STATEMENTS scripts, from STAGE_TEST_SEED on.
 */
import { assertAlike } from '../helpers/alike.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRandom } from '../helpers/random.ts';
import { sortRuns } from '../helpers/sort-runs.ts';
import { suite } from '../helpers/suite.ts';
import { q } from '../helpers/wire-script.ts';
import type { Pick } from './trigger-draws.ts';
import { oneOf } from './trigger-draws.ts';

const scripts = drawn(3, 'STATEMENTS');
const first = firstSeed();

/**
 * Sorts the notices of statements of several rows, and leaves out those of statements that fail: PostgreSQL takes the rows of one partition
 * after the other.
 */
function arrange(answers: readonly string[]): string[] {
  const kept: string[] = [];
  for (const answer of answers) {
    if (answer.startsWith('E ')) while (kept.at(-1)?.startsWith('N ')) kept.pop();
    kept.push(answer);
  }
  const several = (next: string) =>
    next.startsWith('C MERGE') || Number(/^C .* (\d+)\.?$/.exec(next)?.[1] ?? 2) > 1;
  return sortRuns(sortRuns(kept, 'N ', several), 'D ', (next) => next.startsWith('C UPDATE'));
}

const shown = `concat_ws(' ', TG_NAME, TG_WHEN, TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME, TG_RELID = TG_TABLE_NAME::regclass, OLD, NEW)`;

const eventsOf = (pick: Pick) =>
  oneOf(pick, [
    ...['INSERT', 'DELETE', 'UPDATE', 'UPDATE OF a', 'UPDATE OF kind', 'INSERT OR UPDATE'],
    ...['DELETE OR UPDATE', 'INSERT OR UPDATE OR DELETE', 'INSERT OR UPDATE OF kind, b'],
  ]);

function drawBefore(table: string, index: number, pick: Pick): string {
  const name = `${oneOf(pick, ['a', 'm', 'z'])}${index}_${table}`;
  const k = pick(6);
  const change = oneOf(pick, [
    `NEW.a := NEW.a + ${k};`,
    `NEW.b := concat(NEW.b, TG_TABLE_NAME, ${k});`,
    `IF TG_OP = 'UPDATE' AND NEW.a > ${10 + k} THEN NEW.kind := '${oneOf(pick, ['a', 'b', 'c'])}'; END IF;`,
    `IF NEW.a = ${k} THEN NEW.kind := 'c'; END IF;`,
    `IF NEW.a = ${20 + k} THEN RAISE EXCEPTION 'not % in %', NEW.a, TG_TABLE_NAME; END IF;`,
    `IF TG_OP = 'UPDATE' AND NEW.a = ${k} THEN RETURN NULL; END IF;`,
  ]);
  return `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  RAISE NOTICE '%', ${shown};
  IF TG_OP = 'DELETE' THEN
    IF OLD.a = ${k} THEN RETURN NULL; END IF;
    RETURN OLD;
  END IF;
  ${change}
  RETURN NEW;
END $f$;
CREATE TRIGGER ${name} BEFORE ${eventsOf(pick)} ON ${table} FOR EACH ROW EXECUTE FUNCTION ${name}();`;
}

function drawAfter(table: string, index: number, pick: Pick): string {
  const name = `${oneOf(pick, ['a', 'm', 'z'])}${index}_after_${table}`;
  return `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $f$
DECLARE
  said text := ${shown};
BEGIN
  ${oneOf(pick, ["RAISE NOTICE '%', said;", `INSERT INTO ${table}_log SELECT said, count(*) FROM ${table}_log l WHERE l.what = said;`, ''])}
  RETURN NULL;
END $f$;
CREATE TRIGGER ${name} AFTER ${eventsOf(pick)} ON ${table} FOR EACH ROW EXECUTE FUNCTION ${name}();`;
}

function drawStatementTrigger(table: string, pick: Pick): string {
  const [event, sets] = oneOf(pick, [
    ['UPDATE', ['OLD', 'NEW']],
    ['INSERT', ['NEW']],
    ['DELETE', ['OLD']],
  ] as const);
  const name = `s_${table}`;
  const rows = sets.map(
    (each) => `(SELECT string_agg(r::text, ' ' ORDER BY r.id, r.kind) FROM ${each}_rows r)`,
  );
  return `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN RAISE NOTICE '% % %', TG_NAME, TG_TABLE_NAME, concat_ws('/', ${rows.join(', ')}); RETURN NULL; END $f$;
CREATE TRIGGER ${name} AFTER ${event} ON ${table} REFERENCING ${sets.map((each) => `${each} TABLE AS ${each}_rows`).join(' ')} FOR EACH STATEMENT EXECUTE FUNCTION ${name}();`;
}

function drawTables(table: string, pick: Pick): string {
  const before = Array.from({ length: pick(4) }, (_, index) => drawBefore(table, index, pick));
  const after = Array.from({ length: pick(4) }, (_, index) => drawAfter(table, index, pick));
  return `CREATE TABLE ${table}_log (what text, nth int, PRIMARY KEY (what, nth));
CREATE TABLE ${table} (id int, kind text, a int DEFAULT 1, b text, PRIMARY KEY (id, kind)) PARTITION BY LIST (kind);
CREATE TABLE ${table}_a PARTITION OF ${table} FOR VALUES IN ('a');
CREATE TABLE ${table}_b PARTITION OF ${table} FOR VALUES IN ('b') PARTITION BY RANGE (id);
CREATE TABLE ${table}_b_low PARTITION OF ${table}_b FOR VALUES FROM (MINVALUE) TO (5);
CREATE TABLE ${table}_b_high PARTITION OF ${table}_b FOR VALUES FROM (5) TO (MAXVALUE);
CREATE TABLE ${table}_c PARTITION OF ${table} FOR VALUES IN ('c', 'd');
INSERT INTO ${table} SELECT g, chr(97 + g % 4), g FROM generate_series(1, 8) g;
${[...before, ...after, pick(2) === 0 ? drawStatementTrigger(table, pick) : ''].join('\n')}`;
}

/** @param merged what MERGE sets */
function drawStatement(table: string, merged: string, pick: Pick): string {
  const [id, kind, a] = [1 + pick(10), oneOf(pick, ['a', 'b', 'c', 'd', 'x']), pick(24)];
  return oneOf(pick, [
    `UPDATE ${table} SET kind = '${kind}' WHERE id = ${id} RETURNING *`,
    `UPDATE ${table} SET kind = '${kind}', a = ${a} WHERE id = ${id}`,
    `UPDATE ${table} SET id = id + 20, b = 'moved' WHERE id = ${id} RETURNING *`,
    `UPDATE ${table} SET a = ${a} WHERE id = ${id} RETURNING *`,
    `UPDATE ${table} SET kind = '${kind}' WHERE id > ${id}`,
    `UPDATE ${table} SET a = a + 1`,
    `UPDATE ${table} t SET kind = v.kind FROM (VALUES (${id}, 'a'), (${id + 1}, 'b')) v (id, kind) WHERE t.id = v.id`,
    `INSERT INTO ${table} VALUES (${id}, '${kind}', ${a}) RETURNING *`,
    `INSERT INTO ${table} VALUES (${id}, '${kind}', ${a}) ON CONFLICT (id, kind) DO UPDATE SET a = excluded.a, b = 'met' RETURNING *`,
    `MERGE INTO ${table} t USING (VALUES (${id}, ${a})) v (id, a) ON t.id = v.id AND t.kind = '${oneOf(pick, ['a', 'b', 'c'])}' WHEN MATCHED THEN UPDATE SET ${merged} WHEN NOT MATCHED THEN INSERT (id, kind, a) VALUES (v.id, '${kind}', v.a)`,
    `DELETE FROM ${table} WHERE id = ${id}`,
    `BEGIN; UPDATE ${table} SET kind = '${kind}' WHERE id = ${id}; ROLLBACK`,
    `TABLE ${table}_log ORDER BY 1, 2`,
  ]);
}

suite('moved rows at random', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied('');
  });
  test.after(() => proxied.stop());

  for (let seed = first; seed < first + scripts; seed += 1) {
    test(
      `fire triggers as they do directly (STAGE_TEST_SEED=${seed})`,
      async () => {
        const pick = createRandom(seed).below;
        const table = `m${seed}`;
        const tables = drawTables(table, pick);
        for (const { query } of [proxied.database, proxied.twin]) await query(tables);
        // PostgreSQL has rows that MERGE moves in the transition tables of INSERT and DELETE
        const merged = tables.includes('REFERENCING') ? 'a = v.a' : "kind = 'd', a = v.a";
        const statements = Array.from({ length: 14 }, () => drawStatement(table, merged, pick));
        try {
          await assertAlike(proxied, [...statements, `TABLE ${table} ORDER BY 1, 2`].map(q), {
            arrange,
          });
        } finally {
          for (const { query } of [proxied.database, proxied.twin])
            await query(`DROP TABLE ${table}, ${table}_log`);
        }
      },
      { timeout: 120_000 },
    );
  }
});
