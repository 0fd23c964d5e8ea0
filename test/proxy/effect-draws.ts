/**
 * Draws tables whose triggers insert, update and delete rows of other tables and of their own, and statements on them. What triggers do does
 * not depend on the order in which a statement's rows come.
 */

type Pick = (count: number) => number;

const oneOf = <Value>(pick: Pick, values: readonly Value[]): Value =>
  values[pick(values.length)] as Value;

/** The names of the tables of one script: rows, two levels of sums over them, and marks, which triggers insert and delete. */
export const namesOf = (number: number) =>
  ['rows', 'sums', 'grand', 'marks'].map((name) => `e${number}_${name}`) as [
    rows: string,
    sums: string,
    grand: string,
    marks: string,
  ];

/** Draws the script of the tables and their triggers. */
export function drawEffects(number: number, pick: Pick): string {
  const [rows, sums, grand, marks] = namesOf(number);
  const key = pick(2) === 0 ? ` REFERENCES ${sums}` : '';
  const tables = `
CREATE TABLE ${grand} (id int PRIMARY KEY, n int NOT NULL DEFAULT 0, changes int NOT NULL DEFAULT 0);
INSERT INTO ${grand} VALUES (1), (2);
CREATE TABLE ${sums} (id int PRIMARY KEY, n int NOT NULL DEFAULT 0 CHECK (n < 500), of int NOT NULL DEFAULT 1, note text, version int NOT NULL DEFAULT 1);
INSERT INTO ${sums} (id, n, of) SELECT g, g, 1 + g % 2 FROM generate_series(1, 4) g;
CREATE TABLE ${rows} (id int PRIMARY KEY, sum int${key}, a int NOT NULL DEFAULT 1, b text, touched int NOT NULL DEFAULT 0);
INSERT INTO ${rows} (id, sum, a) SELECT g, 1 + g % 4, g FROM generate_series(1, 6) g;
CREATE TABLE ${marks} (id int, kind text, n int DEFAULT 7, PRIMARY KEY (id, kind));
INSERT INTO ${marks} SELECT g, 'old' FROM generate_series(1, 3) g;`;
  const ofRows = Array.from({ length: 1 + pick(3) }, (_, index) =>
    rowsTrigger(number, index, pick),
  );
  // a trigger that updates a table fires at approval only where triggers UPDATE OF columns would fire for it
  const hasColumns = ofRows.some((trigger) => trigger.includes('UPDATE OF'));
  const drawn = [
    ...ofRows.filter((trigger) => !(hasColumns && trigger.includes('SET touched'))),
    ...(pick(3) > 0 ? [setTrigger(number, pick)] : []),
    ...(pick(3) > 0 ? [sumsTrigger(number, pick)] : []),
    ...(pick(2) > 0 ? [versionTrigger(number, pick)] : []),
  ];
  return [tables, ...drawn].join('\n');
}

const made = (name: string, declared: string, body: string, head: string, call = '') =>
  `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql ${name.includes('A0') ? 'SET search_path = public' : ''} AS $f$\n${declared}BEGIN\n  ${body}\nEND $f$;
CREATE TRIGGER ${name} ${head} EXECUTE FUNCTION ${name}(${call});`;

/** A trigger of the rows: it keeps sums, marks, or the rows themselves. */
function rowsTrigger(number: number, index: number, pick: Pick): string {
  const [rows, sums, , marks] = namesOf(number);
  const name = `"${oneOf(pick, ['z', 'm', 'A'])}${index} of ${rows}"`;
  const alias = oneOf(pick, [
    ['', ''],
    [' AS x', 'x.'],
    [' "S"', '"S".'],
  ] as const);
  const add = (sign: string, row: string) =>
    `UPDATE ${oneOf(pick, ['', 'public.'])}${sums}${alias[0]} SET n = ${alias[1]}n ${sign} ${row}.a WHERE ${alias[1]}id = ${row}.sum`;
  const kept = [
    `IF TG_OP <> 'INSERT' THEN ${add('-', 'OLD')}; END IF;`,
    `IF TG_OP <> 'DELETE' THEN ${add('+', 'NEW')}; END IF;`,
  ].join('\n  ');
  const found = `IF TG_OP <> 'DELETE' THEN ${add('+', 'NEW')} RETURNING note INTO told; IF NOT FOUND THEN RAISE NOTICE 'no sum %', NEW.sum; END IF; END IF;`;
  const marked = `DELETE FROM ${marks} WHERE id = coalesce(NEW.id, OLD.id)${oneOf(pick, ['', ` AND kind = '${name}'`, ` AND n > 5`])};
  IF TG_OP <> 'DELETE' THEN INSERT INTO ${marks} (id, kind) VALUES (NEW.id, TG_NAME); END IF;`;
  const moved = `UPDATE ${marks} m SET n = m.n + s.of FROM ${sums} s WHERE s.id = coalesce(NEW.sum, OLD.sum) AND m.id = coalesce(NEW.id, OLD.id);
  GET DIAGNOSTICS counted = ROW_COUNT;
  RAISE NOTICE '% marks of %', counted, coalesce(NEW.id, OLD.id);`;
  const own = `IF TG_OP <> 'DELETE' THEN UPDATE ${rows} SET touched = touched + 1 WHERE id = NEW.id; END IF;`;
  const caught = `BEGIN ${add('+', "CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END").replaceAll(/CASE.*?END/g, 'changed')}; EXCEPTION WHEN check_violation THEN RAISE NOTICE 'too much'; END;`;
  const refused = `IF coalesce(NEW.a, OLD.a) = ${pick(20)} THEN RAISE EXCEPTION 'no % of it', coalesce(NEW.a, OLD.a) USING ERRCODE = 'P0099'; END IF;`;
  const upserted = `IF TG_OP <> 'DELETE' THEN INSERT INTO ${marks} AS m (id, kind, n) VALUES (NEW.id % 4, ${oneOf(pick, ['TG_NAME', "'all'"])}, NEW.a) ${oneOf(
    pick,
    [
      'ON CONFLICT DO NOTHING',
      'ON CONFLICT (id, kind) DO UPDATE SET n = m.n + excluded.n',
      'ON CONFLICT (kind, id) DO UPDATE SET n = m.n + NEW.a * 2 WHERE NEW.a > 4',
      `ON CONFLICT ON CONSTRAINT ${marks}_pkey DO UPDATE SET (n, kind) = (m.n + (CASE WHEN TG_OP = 'INSERT' THEN 1 ELSE 3 END), excluded.kind)`,
    ],
  )}; END IF;`;
  const bodies = [
    upserted,
    upserted,
    kept,
    kept,
    found,
    marked,
    moved,
    own,
    caught,
    `${refused}\n  ${kept}`,
  ];
  const body = `${oneOf(pick, bodies)}\n  RETURN NULL;`;
  const isOwn = body.includes(own);
  const events = oneOf(pick, [
    'INSERT OR UPDATE OR DELETE',
    'INSERT OR UPDATE OR DELETE',
    'INSERT',
    'INSERT OR UPDATE OF a, sum OR DELETE',
    'UPDATE OF a',
    'DELETE',
  ]);
  const when = isOwn
    ? 'WHEN (pg_trigger_depth() = 0) '
    : events === 'INSERT'
      ? oneOf(pick, ['', 'WHEN (NEW.a > 2) ', 'WHEN (pg_trigger_depth() < 1) '])
      : '';
  const declared = `DECLARE\n  told text;\n  counted int;\n  changed record := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;\n`;
  return made(name, declared, body, `AFTER ${events} ON ${rows} FOR EACH ROW ${when}`);
}

/** A trigger of statements on the rows: it counts them in the sums, or marks them. */
function setTrigger(number: number, pick: Pick): string {
  const [rows, sums, , marks] = namesOf(number);
  const event = oneOf(pick, ['INSERT', 'UPDATE', 'DELETE']);
  const set = event === 'DELETE' ? 'OLD' : 'NEW';
  const name = `"${oneOf(pick, ['z', 'm', 'A'])} set of ${rows}"`;
  const body = oneOf(pick, [
    `UPDATE ${sums} s SET n = s.n + c.n FROM (SELECT sum, count(*) AS n FROM seen GROUP BY sum) c WHERE s.id = c.sum;`,
    `UPDATE ${sums} s SET version = version + (SELECT count(*) FROM seen x WHERE x.sum = s.id) WHERE s.id IN (SELECT seen.sum FROM seen);`,
    `DELETE FROM ${marks} m USING seen WHERE seen.id = m.id AND m.kind <> 'set'; INSERT INTO ${marks} (id, kind, n) SELECT r.id, 'set', 1 FROM seen AS r ON CONFLICT (id, kind) DO UPDATE SET n = ${marks}.n + 1;`,
  ]);
  return made(
    name,
    '',
    `${body} RETURN NULL;`,
    `AFTER ${event} ON ${rows} REFERENCING ${set} TABLE AS seen FOR EACH STATEMENT `,
  );
}

/** A trigger of the sums, which mostly fires for what the triggers of rows write. */
function sumsTrigger(number: number, pick: Pick): string {
  const [, sums, grand, marks] = namesOf(number);
  const name = `"over ${sums}"`;
  const total = `UPDATE ${grand} SET n = n + coalesce(NEW.n, 0) - coalesce(OLD.n, 0), changes = changes + 1 WHERE id = coalesce(NEW.of, OLD.of);`;
  const swept = `DELETE FROM ${marks} WHERE id = coalesce(NEW.id, OLD.id) AND kind = TG_ARGV[0];`;
  const body = `${oneOf(pick, [total, total, `${total} ${swept}`, swept])} RETURN NULL;`;
  const isUpdate = pick(3) === 0;
  const head = isUpdate
    ? `AFTER UPDATE ON ${sums} FOR EACH ROW ${oneOf(pick, ['', 'WHEN (OLD.n <> NEW.n) ', 'WHEN (OLD.* IS DISTINCT FROM NEW.*) '])}`
    : `AFTER INSERT OR UPDATE OR DELETE ON ${sums} FOR EACH ROW `;
  return made(name, '', body, head, `'old'`);
}

/** A BEFORE trigger of the sums. */
function versionTrigger(number: number, pick: Pick): string {
  const [, sums] = namesOf(number);
  const body = oneOf(pick, [
    'NEW.version := OLD.version + 1; RETURN NEW;',
    "IF NEW.n < 0 THEN NEW.note := 'below'; END IF; RETURN NEW;",
    `IF NEW.id = ${1 + pick(4)} AND NEW.n > 40 THEN RETURN NULL; END IF; RETURN NEW;`,
  ]);
  const name = `"kept ${sums}"`;
  return made(name, '', body, `BEFORE UPDATE ON ${sums} FOR EACH ROW `);
}

/** Draws statements of a client on all of these tables. */
export function drawWork(number: number, count: number, pick: Pick): string[] {
  const names = namesOf(number);
  const statements = Array.from({ length: count }, () => drawStatement(number, pick));
  return [...statements, ...names.map((name) => `TABLE ${name} ORDER BY 1, 2`)];
}

function drawStatement(number: number, pick: Pick): string {
  const [rows, sums, grand, marks] = namesOf(number);
  const id = 1 + pick(9);
  const sum = 1 + pick(4);
  const a = pick(20);
  const single = [
    `INSERT INTO ${rows} (id, sum, a) VALUES (${id}, ${sum}, ${a})`,
    `INSERT INTO ${rows} (id, sum, a) VALUES (${id}, ${sum}, ${a}) ON CONFLICT (id) DO UPDATE SET a = excluded.a RETURNING id, a`,
    `INSERT INTO ${rows} (id, sum) SELECT g, 1 + g % 4 FROM generate_series(${20 + a * 3}, ${22 + a * 3}) g`,
    `UPDATE ${rows} SET a = a + 1 WHERE id > ${id}`,
    `UPDATE ${rows} SET a = ${a}, sum = ${sum} WHERE id = ${id} RETURNING id, sum, a`,
    `UPDATE ${rows} SET b = 'b${a}' WHERE id = ${id}`,
    `DELETE FROM ${rows} WHERE id = ${id}`,
    `DELETE FROM ${rows} WHERE id > ${6 + id}`,
    `UPDATE ${sums} SET note = 'n${a}' WHERE id = ${sum} RETURNING *`,
    `UPDATE ${sums} SET n = n + ${a} WHERE id = ${sum} RETURNING n`,
    `UPDATE ${sums} SET of = ${1 + pick(2)}, n = ${a} WHERE id = ${sum}`,
    `DELETE FROM ${sums} WHERE id = ${sum}`,
    `INSERT INTO ${sums} (id, n) VALUES (${sum}, ${a})`,
    `UPDATE ${marks} SET n = n + ${a} WHERE id = ${id} OR kind = 'old'`,
    `UPDATE ${marks} SET n = ${a} WHERE id > ${id}`,
    `UPDATE ${marks} SET id = id + 100 WHERE id = ${id} AND kind <> 'old'`,
    `DELETE FROM ${marks} WHERE id = ${id}`,
    `INSERT INTO ${marks} SELECT id, kind, ${a} FROM ${marks} WHERE id < ${id} ON CONFLICT (id, kind) DO UPDATE SET n = excluded.n`,
    `UPDATE ${grand} SET n = n * 2 WHERE id = ${1 + pick(2)}`,
    `MERGE INTO ${rows} t USING (VALUES (${id}, ${a})) v(id, a) ON t.id = v.id WHEN MATCHED AND v.a > 15 THEN DELETE WHEN MATCHED THEN UPDATE SET a = v.a WHEN NOT MATCHED THEN INSERT (id, sum, a) VALUES (v.id, ${sum}, v.a)`,
    `WITH n AS (UPDATE ${sums} SET note = 'with' WHERE id = ${sum} RETURNING id) INSERT INTO ${rows} (id, sum, a) SELECT ${30 + id}, id, ${a} FROM n`,
    `SELECT s.id, s.n, s.note, count(r.id) FROM ${sums} s LEFT JOIN ${rows} r ON r.sum = s.id GROUP BY s.id ORDER BY s.id`,
  ];
  const statement = oneOf(pick, single);
  const other = oneOf(pick, single);
  return oneOf(pick, [
    ...Array.from({ length: 5 }, () => statement),
    `BEGIN; ${statement}; ${other}; COMMIT`,
    `BEGIN; ${statement}; SAVEPOINT s; ${other}; ROLLBACK TO s; ${statement}; COMMIT`,
    `BEGIN; ${statement}; ROLLBACK`,
  ]);
}
