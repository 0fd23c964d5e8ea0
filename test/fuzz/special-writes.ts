/** Random upserts, MERGE, COPY and TRUNCATE: forms that are written only where they can be staged. */
import { assignments, condition, freeColumns, keyCondition, returning } from './expressions.ts';
import type { Column, Table, Unique } from './schema.ts';
import type { Writer } from './statement.ts';
import { list } from './statement.ts';
import type { Shape } from './writes.ts';
import { insertValues } from './writes.ts';

/** ON CONFLICT; where parameters may not stand in DO UPDATE, only expressions do. */
export const upsert: Shape = (writer, table) => upsertRows(writer, table, 1);

export const upsertSeveral: Shape = (writer, table) =>
  upsertRows(writer, table, 2 + writer.random.below(2));

function upsertRows(writer: Writer, table: Table, rows: number): string | null {
  const { random, features } = writer;
  const text = insertValues(writer, table, { rows, alias: ' AS w' });
  if (text === null) return null;
  const arbiters = table.uniques.filter(({ arbiter }) => arbiter !== null);
  if (random.chance(0.2) || arbiters.length === 0)
    return `${text} ON CONFLICT DO NOTHING${returning(writer, table, 'w.')}`;
  const { arbiter } = random.pick(arbiters) as Unique & { arbiter: string };
  if (random.chance(0.3)) return `${text} ON CONFLICT ${arbiter} DO NOTHING`;
  const settable = freeColumns(table);
  if (settable.length === 0) return null;
  const column = random.pick(settable);
  const own = [
    `${column.name} = excluded.${column.name}`,
    `${column.name} = ${column.type.change(`w.${column.name}`)}`,
    `${column.name} = DEFAULT`,
  ];
  const set = features.staged('conflictParameters')
    ? (assignments(writer, settable, ({ name }) => `w.${name}`) ?? '')
    : random.pick(own);
  const where = random.chance(0.3)
    ? ` WHERE w.${column.name} IS ${random.pick(['NOT ', ''])}NULL`
    : '';
  return `${text} ON CONFLICT ${arbiter} DO UPDATE SET ${set}${where}${returning(writer, table, 'w.')}`;
}

/** MERGE with a source whose rows meet one target row each. */
export const merge: Shape = (writer, table) => {
  const { random, features } = writer;
  const set = assignments(writer, freeColumns(table), ({ name }) => `m.${name}`);
  const columns = table.columns.filter(({ filled }) => filled === 'given');
  if (set === null || columns.length === 0) return null;
  const row = columns.map((column) =>
    table.key.includes(column) ? `s.${column.name}` : writer.value(column),
  );
  const source = `(SELECT ${table.key.map((c) => `${writer.constant(random.pick(c.type.values), c.type)}::${c.type.name} AS ${c.name}`).join(', ')})`;
  const join = table.key.map(({ name }) => `m.${name} = s.${name}`).join(' AND ');
  const condition1 = random.chance(0.4) ? ` AND ${condition(writer, table, 'm.')}` : '';
  const matched = random.pick([`UPDATE SET ${set}`, 'DELETE', 'DO NOTHING']);
  const unmatched = random.chance(0.8)
    ? ` WHEN NOT MATCHED THEN INSERT (${list(columns)}) VALUES (${row.join(', ')})`
    : ' WHEN NOT MATCHED THEN DO NOTHING';
  const bySource =
    features.major >= 17 && random.chance(0.2)
      ? ` WHEN NOT MATCHED BY SOURCE AND ${keyCondition(writer, table, 'm.')} THEN DELETE`
      : '';
  const back =
    features.major >= 17 && random.chance(0.5)
      ? ` RETURNING merge_action(), ${list(table.key, 'm.')}`
      : '';
  return `MERGE INTO ${table.name} m USING ${source} s ON ${join} WHEN MATCHED${condition1} THEN ${matched}${unmatched}${bySource}${back}`;
};

export const truncate: Shape = ({ random }, table) =>
  `TRUNCATE ${table.name}${random.pick([' CASCADE', '', ' CONTINUE IDENTITY RESTRICT'])}`;

/** One line of COPY's text format. */
export function copyLine(values: readonly (string | null)[]): string {
  const field = (value: string | null) =>
    value === null ? '\\N' : value.replaceAll('\\', '\\\\').replaceAll('\t', '\\t');
  return `${values.map(field).join('\t')}\n`;
}

/** COPY FROM STDIN of the columns that a statement may fill; its data is made apart. */
export const copyText = (table: string, columns: readonly Column[]): string =>
  `COPY ${table} (${list(columns)}) FROM STDIN`;
