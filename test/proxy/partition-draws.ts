/** Random partitioned tables, and statements on their partitions. */
import type { Random } from '../helpers/random.ts';

export interface Partitioned {
  readonly name: string;
  readonly partitions: readonly string[];
  readonly hasKey: boolean;
  readonly schema: string;
}

/** How rows are distributed to partitions: by `k`, from 0 to 29. */
const methods = {
  range: ['FROM (0) TO (10)', 'FROM (10) TO (20)', 'FROM (20) TO (25)'],
  list: ['IN (0, 1, 2, 3, 4, 5)', 'IN (6, 7, 8, 15, 16)', 'IN (NULL, 20, 21)'],
  hash: [0, 1, 2].map((remainder) => `WITH (MODULUS 3, REMAINDER ${remainder})`),
} as const;

const columns = (random: Random, generated: string) => [
  'id int NOT NULL',
  'k int NOT NULL',
  `v text DEFAULT '${random.pick(['root', 'x'])}'`,
  'n int DEFAULT 1 CONSTRAINT n_max CHECK (n < 50)',
  `g int GENERATED ALWAYS AS (${generated}) STORED`,
];

export function drawPartitioned(random: Random, name: string): Partitioned {
  const method = random.pick(['range', 'list', 'hash'] as const);
  const hasKey = random.chance(0.8);
  const generated = random.pick(['n * 2', 'id + k', 'length(v)']);
  const declared = columns(random, generated);
  const key = hasKey
    ? [random.pick(['PRIMARY KEY (id, k)', 'PRIMARY KEY (k, id)', 'UNIQUE (id, k)'])]
    : [];
  const made: string[] = [
    `CREATE TABLE ${name} (${[...declared, ...key].join(', ')}) PARTITION BY ${method} (k)`,
  ];
  const partitions: string[] = [];
  const attach = (partition: string, bounds: string, below = '') => {
    partitions.push(partition);
    // a partition that was a table before has its columns in another order, and may lack a dropped one
    if (below !== '' || random.chance(0.4)) {
      made.push(`CREATE TABLE ${partition} PARTITION OF ${name} ${bounds}${below}`);
    } else {
      const turned = [...declared.slice(2), 'gone int', ...declared.slice(0, 2)];
      made.push(`CREATE TABLE ${partition} (${turned.join(', ')})`);
      made.push(`ALTER TABLE ${partition} DROP COLUMN gone`);
      made.push(`ALTER TABLE ${name} ATTACH PARTITION ${partition} ${bounds}`);
    }
  };
  methods[method].forEach((bounds, index) => {
    const partition = `${name}_${index}`;
    const isSplit = index === 1 && random.chance(0.6);
    attach(partition, `FOR VALUES ${bounds}`, isSplit ? ' PARTITION BY RANGE (id)' : '');
    if (!isSplit) return;
    for (const [part, of] of [
      ['a', 'FOR VALUES FROM (0) TO (5)'],
      ['b', random.pick(['DEFAULT', 'FOR VALUES FROM (5) TO (12)'])],
    ] as const) {
      partitions.push(`${partition}${part}`);
      made.push(`CREATE TABLE ${partition}${part} PARTITION OF ${partition} ${of}`);
    }
  });
  if (method !== 'hash' && random.chance(0.6)) attach(`${name}_rest`, 'DEFAULT');
  made.push(...drawOwn(random, partitions));
  const values = Array.from({ length: 24 }, (_, id) => `(${id}, ${id}, 'v${id}', ${id % 7})`);
  const fill = `DO $$ BEGIN ${values.map((row) => `BEGIN INSERT INTO ${name} (id, k, v, n) VALUES ${row}; EXCEPTION WHEN integrity_constraint_violation THEN END;`).join(' ')} END $$`;
  return { name, partitions, hasKey, schema: [...made, fill].join(';\n') };
}

/** Draws the partitions' own constraints, indexes and columns. */
const drawOwn = (random: Random, partitions: readonly string[]): string[] =>
  partitions.flatMap((partition) =>
    random.chance(0.5)
      ? []
      : [
          random.pick([
            `ALTER TABLE ${partition} ALTER v SET DEFAULT 'own'`,
            `ALTER TABLE ${partition} ALTER n SET NOT NULL`,
            `ALTER TABLE ${partition} ADD CHECK (n <> 3)`,
            `ALTER TABLE ${partition} ADD CONSTRAINT ${partition}_own UNIQUE (v, k)`,
            `CREATE UNIQUE INDEX ${partition}_v ON ${partition} (lower(v), k) WHERE n > 2`,
          ]),
        ],
  );

/** Draws a statement, which PostgreSQL may refuse. Its rows come in any order, and are compared as a set. */
export function drawStatement(random: Random, table: Partitioned): string {
  const one = () => random.pick([...table.partitions, table.name]);
  const name = random.chance(0.8) ? random.pick(table.partitions) : table.name;
  const number = () => random.pick([0, 1, 2, 3, 5, 6, 7, 9, 10, 11, 15, 20, 21, 24, 29, 30]);
  const value = () => random.pick([`'a'`, `'v${number()}'`, 'NULL', 'DEFAULT']);
  const n = () => random.pick(['1', '3', '40', '60', 'NULL', 'DEFAULT']);
  const row = () => `(${number()}, ${number()}, ${value()}, ${n()})`;
  const where = () =>
    random.pick([
      `id = ${number()}`,
      `k = ${number()}`,
      `k < ${number()}`,
      `n > 2 AND id < ${number()}`,
      `v = 'v${number()}'`,
    ]);
  const set = () =>
    random.pick([
      `v = v || '!'`,
      `n = n + 1`,
      `k = ${number()}`,
      `id = id + 1`,
      `v = DEFAULT, n = ${n()}`,
      `k = k + 1, v = 'moved'`,
      'n = 3',
    ]);
  const returning = random.pick([
    '',
    ' RETURNING *',
    ' RETURNING id, g',
    ` RETURNING ${name}.k, v`,
  ]);
  const kinds = [
    () => `INSERT INTO ${name} (id, k, v, n) VALUES ${row()}${returning}`,
    () =>
      `INSERT INTO ${name} (id, k) VALUES (${number()}, ${number()}), (${number()}, ${number()})${returning}`,
    () =>
      `INSERT INTO ${name} (k, id, n, v) SELECT k, id + 50, n, v FROM ${one()} WHERE ${where()}`,
    () => `INSERT INTO ${name} (id, k, v, n) VALUES ${row()} ON CONFLICT DO NOTHING${returning}`,
    () => `UPDATE ${name} SET ${set()} WHERE ${where()}${returning}`,
    () =>
      `UPDATE ${name} SET n = o.n FROM ${one()} o WHERE o.id = ${name}.id AND o.k = ${name}.k AND o.${where()}`,
    () => `DELETE FROM ${name} WHERE ${where()}${returning}`,
    () => `DELETE FROM ${name} WHERE k IN (SELECT k FROM ${one()} WHERE ${where()})`,
    () => `TABLE ${name}`,
    () => `SELECT count(*), min(v), sum(g) FROM ${name} WHERE ${where()}`,
    ...(table.hasKey
      ? [
          () =>
            `INSERT INTO ${name} (id, k, v, n) VALUES ${row()} ON CONFLICT (id, k) DO UPDATE SET ${random.pick(['v = excluded.v', 'n = 4', `k = ${number()}`])}${returning}`,
          () => `MERGE INTO ${name} t USING (VALUES (${number()}, ${number()})) s (id, k) ON t.id = s.id AND t.k = s.k
            WHEN MATCHED THEN ${random.pick(['DELETE', `UPDATE SET n = 7, k = ${number()}`, `UPDATE SET v = 'm'`])} WHEN NOT MATCHED THEN INSERT (id, k, v) VALUES (s.id, s.k, 'merged')`,
        ]
      : []),
  ];
  return random.chance(0.03) ? `TRUNCATE ${name}` : random.pick(kinds)();
}
