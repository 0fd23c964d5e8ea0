/** Random upserts, MERGE, TRUNCATE and EXPLAIN. */
import { assignments, condition, freeColumns, keyCondition, returning } from './expressions.ts';
import type { Table, Unique } from './schema.ts';
import { draws } from './schema.ts';
import type { Writer } from './statement.ts';
import { list } from './statement.ts';
import type { Shape } from './writes.ts';
import { insertValues, writesOfOne } from './writes.ts';

/** ON CONFLICT. */
export const upsert: Shape = (writer, table) => upsertRows(writer, table, 1);

export const upsertSeveral: Shape = (writer, table) =>
  upsertRows(writer, table, 2 + writer.random.below(2));

function upsertRows(writer: Writer, table: Table, rows: number): string | null {
  const { random } = writer;
  const text = insertValues(writer, table, { rows, alias: ' AS w' });
  if (text === null) return null;
  const arbiters = table.uniques.filter(({ arbiter }) => arbiter !== null);
  if (random.chance(0.2) || arbiters.length === 0)
    return `${text} ON CONFLICT DO NOTHING${returning(writer, table, 'w.')}`;
  const arbiter = arbiterText(writer, table, random.pick(arbiters));
  if (random.chance(0.3)) return `${text} ON CONFLICT ${arbiter} DO NOTHING`;
  const settable = freeColumns(table);
  if (settable.length === 0) return null;
  const column = random.pick(settable);
  const source = random.pick(['w', 'excluded']);
  const set = random.chance(0.4)
    ? `${column.name} = excluded.${column.name}`
    : assignments(writer, settable, ({ name }) => `${source}.${name}`);
  const where = random.chance(0.3)
    ? ` WHERE w.${column.name} IS ${random.pick(['NOT ', ''])}NULL`
    : '';
  return `${text} ON CONFLICT ${arbiter} DO UPDATE SET ${set}${where}${returning(writer, table, 'w.')}`;
}

function arbiterText({ random }: Writer, table: Table, { definition, arbiter }: Unique) {
  return definition.startsWith('PRIMARY KEY') && random.chance(0.2)
    ? `ON CONSTRAINT "${table.name.replaceAll('"', '')}_pkey"`
    : arbiter;
}

/** MERGE with one or two rows as its source. */
export const merge: Shape = (writer, table) => {
  const { random, major } = writer;
  // runs on a copy there, in which rows without a key cannot be told apart
  if (major < 17 && !table.hasKey) return null;
  const columns = table.columns.filter(({ filled }) => filled === 'given');
  const row = columns.map((column) =>
    table.key.includes(column) ? `s.${column.name}` : writer.value(column),
  );
  const matched = [random.chance(0.4) ? condition(writer, table, 'm.') : null, null].map(
    (when) => [when, matchedAction(writer, table)] as const,
  );
  if (columns.length === 0 || matched.some(([, action]) => action === null)) return null;
  const actions = matched
    .slice(matched[0]?.[0] === null ? 1 : 0)
    .map(([when, action]) => `WHEN MATCHED${when ? ` AND ${when}` : ''} THEN ${action}`);
  const insert = `INSERT (${list(columns)}) VALUES (${row.join(', ')})`;
  const unmatched = `WHEN NOT MATCHED THEN ${random.chance(0.8) ? insert : 'DO NOTHING'}`;
  const others: string[] = [];
  if (major >= 17 && random.chance(0.2))
    others.push(
      `WHEN NOT MATCHED BY SOURCE AND ${keyCondition(writer, table, 'm.')} THEN ${random.pick(['DELETE', 'DO NOTHING'])}`,
    );
  // whether a deleted row is still in the way of an inserted one depends on the plan of the join
  const deletes = [...actions, ...others].some((action) => action.endsWith(' THEN DELETE'));
  if (!deletes || table.uniques.length <= 1) actions.push(unmatched);
  actions.push(...others);
  const back =
    major >= 17 && random.chance(0.5) ? ` RETURNING merge_action(), ${list(table.key, 'm.')}` : '';
  const join = table.key.map(({ name }) => `m.${name} = s.${name}`).join(' AND ');
  return `MERGE INTO ${table.name} m USING ${mergeSource(writer, table)} ON ${join} ${actions.join(' ')}${back}`;
};

function matchedAction(writer: Writer, table: Table): string | null {
  const set = assignments(writer, freeColumns(table), ({ name }) => `m.${name}`);
  return (
    set && writer.random.pick([`UPDATE SET ${set}`, `UPDATE SET ${set}`, 'DELETE', 'DO NOTHING'])
  );
}

/** One row where the table draws from a sequence: which of two draws first is up to the plan of the join. */
function mergeSource({ random, constant }: Writer, { key, columns }: Table): string {
  const row = () =>
    `(${key.map(({ type }) => `${constant(random.pick(type.values), type)}::${type.name}`).join(', ')})`;
  const rows = !columns.some(draws) && random.chance(0.3) ? [row(), row()] : [row()];
  return `(VALUES ${rows.join(', ')}) AS s (${list(key)})`;
}

export const truncate: Shape = ({ random, schema }, table) =>
  `TRUNCATE ${table.name}${random.chance(0.2) ? `, ${random.pick(schema.tables).name}` : ''}${random.pick([' CASCADE', '', ' CONTINUE IDENTITY RESTRICT'])}`;

/** EXPLAIN shows production's plan; that it explains, or why not, is what can be compared. */
export const explain: Shape = (writer, table) => {
  const text = writer.random.pick(writesOfOne)(writer, table);
  return text && `EXPLAIN (COSTS OFF) ${text}`;
};
