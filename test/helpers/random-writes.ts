/** Draws statements that change rows of drawn tables, and transactions of them. */
import type { Random } from './random.ts';
import type { DrawnTable } from './random-schema.ts';

type Draw = () => string;

/**
 * Draws a statement that changes rows of a table.
 * @param major the version of the server: from 17 on MERGE is staged into a table with children, and has more forms
 */
export function drawWrite(random: Random, table: DrawnTable, major: number): string {
  const { pick, chance, below } = random;
  const { name, key } = table;
  const parts = drawParts(random, table);
  const { columns, row, set, where, keyed } = parts;
  const insert = `INSERT INTO ${name} (${columns}) VALUES ${row()}`;
  const [first] = key;
  const forms: Draw[] = [
    () => `${insert} RETURNING *`,
    () => `${insert}, ${row()}, ${row()}`,
    () => `UPDATE ${name} SET ${set()}${where()} RETURNING *`,
    () => `UPDATE ${name} SET ${set()}${where()}`,
    () => `DELETE FROM ${name}${where()} RETURNING *`,
    () => `INSERT INTO ${name} (${columns}) SELECT ${columns} FROM ${name} LIMIT 0`,
    () => `${insert} ON CONFLICT DO NOTHING`,
    () => `WITH gone AS (DELETE FROM ${name}${where()} RETURNING *) SELECT count(*) FROM gone`,
    ...(chance(0.3) ? [() => `TRUNCATE ${name} CASCADE`] : []),
  ];
  if (first) {
    const value = () => pick(keyed?.values ?? ['NULL']);
    forms.push(
      () => `${insert} ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${set()} RETURNING *`,
      () => `UPDATE ${name} SET ${first} = ${value()} WHERE ${first} = ${value()}`,
      () =>
        `UPDATE ${name} AS t SET ${set()} FROM ${source(parts)} WHERE ${matches(table)} RETURNING t.*`,
      () => `DELETE FROM ${name} AS t USING ${source(parts)} WHERE ${matches(table)} RETURNING t.*`,
      () => drawMerge(random, table, parts, major),
      () => drawMerge(random, table, parts, major),
    );
  }
  return (forms[below(forms.length)] as Draw)();
}

/** The parts of which statements on a table are made. */
function drawParts({ pick, chance }: Random, { columns, key }: DrawnTable) {
  const given = columns.filter(({ values }) => values.length > 0);
  const free = given.filter((column) => !key.includes(column.name));
  const keyed = given.find((column) => column.name === key[0]);
  return {
    given,
    keyed,
    columns: given.map((column) => column.name).join(', '),
    row: () => `(${given.map(({ values }) => pick(values)).join(', ')})`,
    set: () =>
      (free.length > 0 ? free : given)
        .filter((_, index) => index === 0 || chance(0.4))
        .map((column) => `${column.name} = ${pick(column.values)}`)
        .join(', '),
    where: () =>
      keyed && chance(0.8)
        ? ` WHERE ${keyed.name} IN (${pick(keyed.values)}, ${pick(keyed.values)})`
        : '',
  };
}

type Parts = ReturnType<typeof drawParts>;

const source = ({ row, columns }: Parts) => `(VALUES ${row()}) AS s (${columns})`;
const matches = ({ key }: DrawnTable) =>
  key.map((column) => `t.${column} = s.${column}`).join(' AND ');

function drawMerge(
  { chance, pick }: Random,
  table: DrawnTable,
  parts: Parts,
  major: number,
): string {
  const { given, columns, set } = parts;
  const isNew = major >= 17;
  const only = table.hasChildren && !isNew ? 'ONLY ' : '';
  const condition = () => {
    const column = pick(given);
    return pick(['', ` AND t.${column.name} IS NULL`, ` AND t.${column.name}::text < 'm'`]);
  };
  const insert = `INSERT (${columns}) VALUES (${given.map(({ name }) => `s.${name}`).join(', ')})`;
  const actions = [
    ...(chance(0.3) ? [`WHEN MATCHED${condition()} THEN ${pick(['DELETE', 'DO NOTHING'])}`] : []),
    `WHEN MATCHED THEN UPDATE SET ${set()}`,
    `WHEN NOT MATCHED THEN ${chance(0.8) ? insert : 'DO NOTHING'}`,
    ...(isNew && chance(0.2)
      ? [`WHEN NOT MATCHED BY SOURCE${condition()} THEN ${pick(['DELETE', `UPDATE SET ${set()}`])}`]
      : []),
  ];
  const returning = isNew && chance(0.4) ? ' RETURNING merge_action(), t.*' : '';
  return `MERGE INTO ${only}${table.name} AS t USING ${source(parts)} ON ${matches(table)}
    ${actions.join(' ')}${returning}`;
}

/**
 * Puts some of the statements into transactions.
 * @param mayBeRefused whether staging may refuse a statement, which would leave out what follows it in a transaction
 */
export function drawBlocks(
  random: Random,
  writes: readonly string[],
  mayBeRefused: boolean,
): readonly string[] {
  if (mayBeRefused) return writes;
  const script: string[] = [];
  for (let at = 0; at < writes.length; ) {
    const size = random.chance(0.3) ? 2 + random.below(4) : 1;
    const part = writes.slice(at, at + size);
    script.push(...(size === 1 ? part : drawBlock(random, part)));
    at += size;
  }
  return script;
}

/** Draws a transaction, in which there may be no savepoint of the name that it rolls back to. */
function drawBlock({ chance, pick }: Random, writes: readonly string[]): string[] {
  const before = () => (chance(0.3) ? ['SAVEPOINT a'] : []);
  const after = () => (chance(0.2) ? [pick(['ROLLBACK TO a', 'ROLLBACK TO a', 'RELEASE a'])] : []);
  const body = writes.flatMap((write) => [...before(), write, ...after()]);
  return ['BEGIN', ...body, chance(0.85) ? 'COMMIT' : 'ROLLBACK'];
}
