/** Draws tables with policies of row-level security, and statements on them. */
import type { Random } from './random.ts';

const conditions = [
  'who = current_user',
  'who <> current_user',
  'n < 5',
  'n > 1',
  'id % 2 = 0',
  'code IS NOT NULL',
  'g < 14',
  'true',
  'false',
  'EXISTS (SELECT FROM $m WHERE name = current_user AND level >= n)',
] as const;

const commands = ['ALL', 'ALL', 'SELECT', 'SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const;

function drawPolicy(random: Random, seed: number, at: number, roles: readonly string[]): string {
  const command = random.pick(commands);
  const condition = () => random.pick(conditions).replace('$m', `p${seed}_m`);
  const using = command === 'INSERT' ? '' : ` USING (${condition()})`;
  const mayCheck = command !== 'SELECT' && command !== 'DELETE';
  const check =
    mayCheck && (using === '' || random.chance(0.5)) ? ` WITH CHECK (${condition()})` : '';
  const kind = random.chance(0.25) ? 'RESTRICTIVE' : 'PERMISSIVE';
  const to = random.chance(0.3) ? random.pick(roles) : 'PUBLIC';
  return `CREATE POLICY "p ${at}" ON p${seed} AS ${kind} FOR ${command} TO ${to}${using}${check};`;
}

/** Clauses of the column `code`, and what follows the columns. */
const shapes = [
  ['UNIQUE', ''],
  ['UNIQUE', ''],
  ['', '; ALTER TABLE $t DROP CONSTRAINT $t_pkey'],
  ['', '; CREATE UNIQUE INDEX ON $t (code) INCLUDE (n) NULLS NOT DISTINCT'],
  [
    '',
    'PARTITION BY RANGE (id); CREATE TABLE $t_a PARTITION OF $t FOR VALUES FROM (0) TO (5); CREATE TABLE $t_b PARTITION OF $t DEFAULT',
  ],
] as const;

/** Draws policies of the table to which the triggers write. */
const guardLog = (random: Random, t: string) => `ALTER TABLE ${t}_log ENABLE ROW LEVEL SECURITY;
CREATE POLICY reads ON ${t}_log FOR SELECT USING (${random.pick(['true', 'false', "what LIKE '%else'"])});
CREATE POLICY writes ON ${t}_log FOR INSERT WITH CHECK (${random.pick(['true', 'times > 3', "what LIKE '%' || current_user"])});`;

/** Draws triggers of the table; none if it has partitions or no key: these fire at approval only. */
function drawTriggers(
  random: Random,
  seed: number,
  shape: string,
  roles: readonly string[],
): string {
  const t = `p${seed}`;
  if (shape !== '' && !shape.startsWith('; CREATE UNIQUE')) return '';
  const steps = (row: 'NEW' | 'OLD') => [
    `IF ${row}.n = ${random.below(9)} THEN RETURN NULL; END IF;`,
    `IF ${row}.id = ${random.below(12)} AND (SELECT count(*) FROM ${t}) > ${random.below(8)} THEN RAISE EXCEPTION '% of %', TG_OP, ${row}.id; END IF;`,
  ];
  const changes = () => [
    ...steps('NEW'),
    `NEW.who := CASE WHEN NEW.n > ${random.below(9)} THEN 'else' ELSE NEW.who END;`,
    'NEW.who := (SELECT max(name) FROM $m WHERE level >= NEW.n);'.replace('$m', `${t}_m`),
    `NEW.n := NEW.n + ${random.below(3)};`,
    `NEW.code := coalesce(NEW.code, 'c' || NEW.id + ${random.below(3)});`,
  ];
  const made = (name: string, when: string, body: string, row: string) =>
    random.chance(0.5)
      ? ''
      : `CREATE FUNCTION ${t}_${name}() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN ${body} RETURN ${row}; END $f$;
CREATE TRIGGER ${name} ${when} ON ${t} FOR EACH ROW EXECUTE FUNCTION ${t}_${name}();`;
  const isGuarded = random.chance(0.4);
  return [
    made(
      'change',
      `BEFORE ${random.pick(['INSERT', 'UPDATE', 'INSERT OR UPDATE', 'UPDATE OF n'])}`,
      random.pick(changes()),
      'NEW',
    ),
    made('also', `BEFORE ${random.pick(['INSERT', 'UPDATE'])}`, random.pick(changes()), 'NEW'),
    made('remove', 'BEFORE DELETE', random.pick(steps('OLD')), 'OLD'),
    `CREATE TABLE ${t}_log (what text PRIMARY KEY, times int); GRANT ALL ON ${t}_log TO ${roles.join(', ')};`,
    isGuarded ? guardLog(random, t) : '',
    made(
      'log',
      `AFTER ${random.pick(['INSERT OR UPDATE', 'UPDATE', 'DELETE'])}`,
      isGuarded
        ? `INSERT INTO ${t}_log VALUES (concat(TG_OP, coalesce(NEW.who, OLD.who)), coalesce(NEW.n, OLD.n)) ON CONFLICT DO NOTHING;`
        : `INSERT INTO ${t}_log AS l VALUES (concat(TG_OP, coalesce(NEW.who, OLD.who)), 1) ON CONFLICT (what) DO UPDATE SET times = l.times + 1;`,
      'NULL',
    ),
  ].join('\n');
}

/** Draws a table `p<seed>` with policies, some of which let everything through; and one without, for sub-selects. */
export function drawSchema(random: Random, seed: number, roles: readonly string[]): string {
  const open = ['ALL', 'SELECT', 'INSERT', 'UPDATE', 'DELETE']
    .filter(() => random.chance(0.4))
    .map((command) => {
      const using = command === 'INSERT' ? 'WITH CHECK (true)' : 'USING (true)';
      return `CREATE POLICY "open ${command}" ON p${seed} FOR ${command} ${using};`;
    });
  const policies = Array.from({ length: 1 + random.below(4) }, (_, at) =>
    drawPolicy(random, seed, at, roles),
  );
  const [code, suffix] = random.pick(shapes);
  return `CREATE TABLE p${seed}_m (name text PRIMARY KEY, level int);
INSERT INTO p${seed}_m VALUES ('${roles[0]}', 3), ('${roles[1]}', 6);
CREATE TABLE p${seed} (id int PRIMARY KEY, who text DEFAULT current_user, n int CHECK (n < 9), code text ${code},
  g int GENERATED ALWAYS AS (n * 2) STORED) ${suffix.replaceAll('$t', `p${seed}`)};
INSERT INTO p${seed} (id, who, n, code) SELECT i, CASE WHEN i % 3 = 0 THEN '${roles[1]}' ELSE '${roles[0]}' END, i % 7, 'c' || i FROM generate_series(1, 8) i;
ALTER TABLE p${seed} ENABLE ROW LEVEL SECURITY;
${[...open, ...policies].join('\n')}
CREATE VIEW p${seed}_v WITH (security_invoker) AS SELECT id, who, n, code, g FROM p${seed} WHERE id < 100;
${drawTriggers(random, seed, suffix, roles)}
GRANT ALL ON p${seed}, p${seed}_v, p${seed}_m TO ${roles.join(', ')};`;
}

/** Returns whether the table of a schema has a key. Before PostgreSQL 17 a MERGE is staged only for such tables. */
export const hasKey = (schema: string): boolean => !schema.includes('DROP CONSTRAINT');

/** Draws a statement on the table of `drawSchema`. */
export function drawStatement(random: Random, seed: number, isKeyed: boolean): string {
  const t = random.chance(0.2) ? `p${seed}_v` : `p${seed}`;
  const id = () => 1 + random.below(12);
  const n = () => random.below(10);
  const code = () => random.pick(['NULL', `'c${id()}'`, `'c${id()}'`]);
  const where = () =>
    random.pick([`id = ${id()}`, `n = ${n()}`, 'who = current_user', `code = 'c${id()}'`]);
  const returning = () =>
    random.pick(['', '', ' RETURNING 1', ' RETURNING id, n, g', ` RETURNING ${t}.*`]);
  const row = () =>
    random.pick([
      `(id, n, code) VALUES (${id()}, ${n()}, ${code()})`,
      `(id, n, who) VALUES (${id()}, ${n()}, 'else')`,
      `(id, n) VALUES (${id()}, ${n()}), (${id()}, ${n()})`,
      `(id, n, code) SELECT level + ${id()}, level, ${code()} FROM p${seed}_m ORDER BY level`,
    ]);
  const conflict = () => {
    const target = random.pick(['(id)', '(id)', '(code)', `ON CONSTRAINT p${seed}_pkey`]);
    const set = random.pick([
      'n = excluded.n',
      `n = ${t}.n + 1`,
      `code = ${code()}`,
      'who = DEFAULT',
    ]);
    const condition = random.chance(0.3) ? ` WHERE ${t}.n < ${n()}` : '';
    return random.pick([
      'DO NOTHING',
      `${target} DO NOTHING`,
      `${target} DO UPDATE SET ${set}${condition}`,
      `${target} DO UPDATE SET ${set}`,
    ]);
  };
  const set = () =>
    random.pick([
      `n = ${n()}`,
      `n = n + 1`,
      `who = 'else'`,
      `who = current_user`,
      `code = ${code()}`,
      `id = ${id()}`,
    ]);
  const merged = () =>
    random.pick([
      `WHEN MATCHED THEN UPDATE SET n = ${n()}`,
      'WHEN MATCHED AND t.n > 3 THEN DELETE',
      'WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, s.n)',
    ]);
  const forms: readonly (() => string)[] = [
    () => `INSERT INTO ${t} ${row()}${returning()}`,
    () => `INSERT INTO ${t} ${row()}${returning()}`,
    () => `INSERT INTO ${t} ${row()} ON CONFLICT ${conflict()}${returning()}`,
    () => `INSERT INTO ${t} ${row()} ON CONFLICT ${conflict()}${returning()}`,
    () => `UPDATE ${t} SET ${set()} WHERE ${where()}${returning()}`,
    () => `UPDATE ${t} SET ${set()} WHERE ${where()}${returning()}`,
    () => `DELETE FROM ${t} WHERE ${where()}${returning()}`,
    () => `SELECT * FROM ${t}`,
  ];
  const merge = () =>
    `MERGE INTO ${t} t USING (VALUES (${random.pick([id(), id() + 12])}, ${n()})) s (id, n) ON t.id = s.id ${merged()} ${merged()}`;
  return random.pick(isKeyed ? [...forms, merge] : forms)();
}
