/** Draws tables whose BEFORE triggers write to other rows of the same table, and statements of few rows. */
import type { Pick } from './trigger-draws.ts';
import { oneOf } from './trigger-draws.ts';

export const tableOf = (number: number) => `o${number}`;

const events = [
  'INSERT',
  'UPDATE',
  'DELETE',
  'INSERT OR UPDATE',
  'UPDATE OF a OR INSERT',
  'INSERT OR UPDATE OR DELETE',
] as const;

/** Returns a write to rows that are not that of the trigger. It is for one row where the order of several would show. */
function drawWrite(table: string, pick: Pick): string {
  const other = `t.id <> r.id AND ${oneOf(pick, ['t."group" = r."group"', 't.a = r.a', `t.id = r.id + ${1 + pick(2)}`, 't.up = r.id'])}`;
  return oneOf(pick, [
    `UPDATE ${table} t SET a = a + ${1 + pick(3)} WHERE ${other};`,
    `UPDATE ${table} SET top = false WHERE top AND "group" = r."group" AND id <> r.id;`,
    `UPDATE ${table} SET up = NULL, a = 0 WHERE up = r.id AND id <> r.id;`,
    `UPDATE ${table} SET "group" = ${pick(4)} WHERE id = (SELECT max(t.id) FROM ${table} t WHERE ${other});`,
    `DELETE FROM ${table} WHERE up = r.id AND id <> r.id;`,
    `DELETE FROM ${table} WHERE id = r.id + ${10 + pick(3)};`,
    `INSERT INTO ${table} (id, "group", a) SELECT r.id + 50, r."group", 1 WHERE NOT EXISTS (SELECT FROM ${table} t WHERE t.id = r.id + 50);`,
    `INSERT INTO ${table} (id, "group", up) VALUES (r.id * 100 + ${table}_next(), r."group", r.id);`,
  ]);
}

function drawTrigger(table: string, index: number, pick: Pick): string {
  const name = `"${oneOf(pick, ['z', 'm', 'A'])}${index}_own_${table}"`;
  const deepest = 1 + pick(2);
  const own = oneOf(pick, ['', 'NEW.a := NEW.a + 1;', `IF NEW.a > 6 THEN RETURN NULL; END IF;`]);
  const inside = `IF pg_trigger_depth() <= ${deepest}${oneOf(pick, ['', ' AND r.a < 5', ' AND r.top'])} THEN ${drawWrite(table, pick)}${pick(3) === 0 ? drawWrite(table, pick) : ''} END IF;`;
  const when = oneOf(pick, ['', `WHEN (pg_trigger_depth() < ${deepest})`]);
  return `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $f$
DECLARE r ${table} := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  ${inside}
  RAISE NOTICE '% % % %', TG_NAME, TG_OP, r.id, (SELECT count(*) FROM ${table});
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  ${own}
  RETURN NEW;
END $f$;
CREATE TRIGGER ${name} BEFORE ${oneOf(pick, events)} ON ${table} FOR EACH ROW ${when} EXECUTE FUNCTION ${name}();`;
}

/** Rows are counted by an AFTER trigger, so that it shows which of them changed, and how often. */
const counted = (
  table: string,
) => `CREATE TABLE ${table}_counts (id int, what text, n int, PRIMARY KEY (id, what));
CREATE FUNCTION ${table}_count() RETURNS trigger LANGUAGE plpgsql AS $f$
DECLARE v int := CASE TG_OP WHEN 'DELETE' THEN OLD.id ELSE NEW.id END;
BEGIN
  UPDATE ${table}_counts SET n = n + 1 WHERE id = v AND what = TG_OP;
  IF NOT FOUND THEN INSERT INTO ${table}_counts VALUES (v, TG_OP, 1); END IF;
  RETURN NULL;
END $f$;
CREATE TRIGGER count AFTER INSERT OR UPDATE OR DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION ${table}_count();`;

/** Returns the table of a number, with its triggers, as a script. */
export function drawOwnRows(number: number, pick: Pick): string {
  const table = tableOf(number);
  const unique =
    pick(2) === 0 ? `CREATE UNIQUE INDEX ON ${table} ("group") WHERE top AND "group" > 1;` : '';
  const triggers = Array.from({ length: 1 + pick(3) }, (_, index) =>
    drawTrigger(table, index, pick),
  );
  return `CREATE TABLE ${table} (id int PRIMARY KEY, "group" int DEFAULT 0, a int DEFAULT 0, up int, top boolean NOT NULL DEFAULT false);
CREATE FUNCTION ${table}_next() RETURNS bigint LANGUAGE plpgsql STABLE AS $f$BEGIN RETURN (SELECT count(*) FROM ${table}); END$f$;
${unique}
INSERT INTO ${table} SELECT g, g % 3, g % 4, nullif(g / 2, 0), g < 4 FROM generate_series(1, 8) g;
${counted(table)}
${triggers.join('\n')}`;
}

/** Returns statements, most of one row: a table with a key shows its staged rows in another order. */
export function drawOwnWork(number: number, count: number, pick: Pick): string[] {
  const table = tableOf(number);
  const statements = Array.from({ length: count }, () => {
    const id = 1 + pick(9);
    const fresh = 20 + pick(20);
    return oneOf(pick, [
      `INSERT INTO ${table} VALUES (${fresh}, ${pick(4)}, ${pick(8)}, ${id}, ${pick(2) === 0})`,
      `INSERT INTO ${table} VALUES (${fresh}, ${pick(4)}, 0, ${id}, true), (${fresh + 20}, ${pick(4)}, 3, ${id}, true) RETURNING *`,
      `UPDATE ${table} SET top = true WHERE id = ${id} RETURNING *`,
      `UPDATE ${table} SET a = ${pick(8)}, "group" = ${pick(4)} WHERE id = ${id}`,
      `UPDATE ${table} SET up = ${pick(9)} WHERE id = ${id} RETURNING up`,
      `UPDATE ${table} SET id = id + 60 WHERE id = ${id}`,
      `DELETE FROM ${table} WHERE id = ${id}`,
      `MERGE INTO ${table} t USING (VALUES (${id})) v (id) ON t.id = v.id WHEN MATCHED THEN UPDATE SET top = NOT top WHEN NOT MATCHED THEN INSERT VALUES (v.id, 1, 1, 1, false)`,
      'BEGIN',
      'SAVEPOINT a',
      'ROLLBACK TO a',
      'COMMIT',
    ]);
  });
  return [
    ...statements.flatMap((text) => [text, `SELECT * FROM ${table} ORDER BY id`]),
    'COMMIT',
    `SELECT * FROM ${table} ORDER BY id`,
    `SELECT * FROM ${table}_counts ORDER BY id, what`,
  ];
}
