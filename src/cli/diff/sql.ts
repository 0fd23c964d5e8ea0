/** A diff as an SQL script of its steps, to read, or to run on a copy. Approval does not use it. */
import { tableCell } from '../../client/cell.ts';
import type { DiffReader, ReadChange } from '../../client/diff-reader.ts';
import { isSafe, sanitize } from '../../client/sanitize.ts';
import type { Value } from '../../client/values.ts';
import { isNull, valuesOf } from '../../client/values.ts';
import { changesHidden } from '../../client/words.ts';
import type { TableOutline } from '../../model/change.ts';
import { JsonText } from '../../model/json.ts';
import { shownParts } from '../../model/table.ts';
import type { Cell, DiffFormat } from './format.ts';
import { cellsOf, hiddenTables, isChanged } from './format.ts';
import type { Part } from './sql-statements.ts';
import { createStatements } from './sql-statements.ts';

/** The facts of a table that statements on it need. */
interface Target {
  /** The name as SQL. */
  readonly name: string;
  /** The table's rows as SQL, with ONLY if other tables inherit from it. */
  readonly rows: string;
  readonly key: readonly string[];
  readonly types: ReadonlyMap<string, string>;
  /** Columns that cannot be written. */
  readonly generated: ReadonlySet<string>;
  readonly referencesItself: boolean;
}

/** Creates the format. @param tables the outline, which has the keys and types of columns */
export function createSqlFormat(tables: readonly TableOutline[], reader: DiffReader): DiffFormat {
  const targets = new Map(tables.map((table) => [table.table, targetOf(table)]));
  const statements = createStatements();
  let begun = false;
  const begin = () => {
    const text = begun ? '' : 'BEGIN;\nSET CONSTRAINTS ALL DEFERRED;\n';
    begun = true;
    return text;
  };
  return {
    change: (change) => {
      const target =
        targets.get(change.table) ?? targetOf({ table: change.table, key: [], columns: [] });
      return begin() + statements.add(change.statement, partOf(change, target));
    },
    end: () => {
      const missing = hiddenTables(reader).map(
        (counts) => `-- ${tableCell(counts.table)}: ${changesHidden(counts)}\n`,
      );
      return `${begin()}${statements.end()}${missing.join('')}COMMIT;\n`;
    },
  };
}

function targetOf({
  table,
  key,
  columns,
  hasChildren,
  referencesItself,
}: Pick<TableOutline, 'table' | 'key' | 'columns' | 'hasChildren' | 'referencesItself'>): Target {
  const name = shownParts(table).map(identifier).join('.');
  return {
    name,
    rows: hasChildren ? `ONLY ${name}` : name,
    key,
    types: new Map(columns.map((column) => [column.name, column.type])),
    generated: new Set(columns.flatMap((column) => (column.generated ? [column.name] : []))),
    referencesItself: referencesItself ?? false,
  };
}

function partOf(change: ReadChange, target: Target): Part {
  const { table, before, after, texts, columns } = change;
  const row = (image: JsonText | null, side: 'before' | 'after') => {
    if (image === null) return [];
    const values = valuesOf(image, texts, side, columns);
    const key = target.key.map((column) => values.get(column)?.json.text);
    return [`${table} ${target.key.length > 0 ? key.join(' ') : image.text}`];
  };
  return {
    sql: statement(change, target),
    table,
    referencesItself: target.referencesItself,
    rows: [...row(before, 'before'), ...row(after, 'after')],
  };
}

function statement(change: ReadChange, target: Target): string {
  const { name, rows } = target;
  if (change.type === 'DELETE') return `DELETE FROM ${rows} WHERE ${place(change, target)}`;
  const cells = cellsOf(change).filter(
    (cell) => cell.after !== undefined && !target.generated.has(cell.name),
  );
  const value = (column: string, side: Value | undefined) => literal(column, side ?? none, target);
  if (change.type === 'UPDATE') {
    const different = cells.filter(isChanged);
    // a step without effect is replayed, too, as triggers run for it
    const changed = (different.length > 0 ? different : idle(cells, target)).map(
      (cell) => `${identifier(cell.name)} = ${value(cell.name, cell.after)}`,
    );
    return `UPDATE ${rows} SET ${changed.join(', ')} WHERE ${place(change, target)}`;
  }
  const columns = cells.map((cell) => identifier(cell.name)).join(', ');
  const values = cells.map((cell) => value(cell.name, cell.after)).join(', ');
  return `INSERT INTO ${name} (${columns}) OVERRIDING SYSTEM VALUE VALUES (${values})`;
}

/** Returns the column that a step without effect sets to its value: preferably no integer, which may be an identity column. */
function idle(cells: readonly Cell[], { key, types }: Target): readonly Cell[] {
  const rank = ({ name }: Cell) =>
    (/^(?:smallint|integer|bigint)$/.test(types.get(name) ?? '') ? 2 : 0) +
    (key.includes(name) ? 1 : 0);
  return cells.toSorted((one, other) => rank(one) - rank(other)).slice(0, 1);
}

const none: Value = { json: new JsonText('null') };

/** Returns the condition that finds the row by its key. Without a key it compares all values and picks one of the matching rows. */
function place({ before, texts, columns }: ReadChange, target: Target): string {
  const row = valuesOf(before, texts, 'before', columns);
  const equals = (column: string) =>
    `${identifier(column)} = ${literal(column, row.get(column) ?? none, target)}`;
  if (target.key.length > 0) return target.key.map(equals).join(' AND ');
  const all = [...row].map(([column, value]) => isSame(column, value, target)).join(' AND ');
  return `(tableoid, ctid) = (SELECT tableoid, ctid FROM ${target.rows} WHERE ${all} LIMIT 1)`;
}

/**
 * Returns the condition that a column has exactly this value. Some types have no equality, such as json, and that of others is not exact:
 * 1.0 = 1.00.
 */
function isSame(column: string, value: Value, target: Target): string {
  const name = identifier(column);
  const type = target.types.get(column);
  const given = literal(column, value, target);
  // guard: a script finds rows without a key by columns of any type
  const isExact = value.text === undefined && hasExactEquality.test(type ?? '');
  if (type === undefined || isNull(value) || isExact)
    return `${name} IS NOT DISTINCT FROM ${given}`;
  const isDocument = value.text === undefined && /^[{[]/.test(value.json.text);
  if (isDocument) return `to_jsonb(${name}) = ${quoted(value.json.text)}::jsonb`;
  return `${name}::text = ${quoted(textOf(value))}::${type}::text`;
}

function textOf({ text, json }: Value): string {
  if (text !== undefined) return text;
  return json.text.startsWith('"') ? (JSON.parse(json.text) as string) : json.text;
}

/** Types of which equal values have equal texts. */
const hasExactEquality =
  /^(?:smallint|integer|bigint|boolean|text|character varying|date|timestamp|time|uuid|bytea|jsonb)\b(?!.*\[\])/;

/** Returns a value as a literal for this column. Only PostgreSQL can convert the JSON of arrays and composites. */
function literal(column: string, value: Value, { name, types }: Target): string {
  if (isNull(value)) return 'NULL';
  if (value.text !== undefined) return quoted(value.text);
  const { text } = value.json;
  if (/^jsonb?$/.test(types.get(column) ?? '')) return quoted(text);
  if (text.startsWith('"')) return quoted(JSON.parse(text) as string);
  if (!/^[{[]/.test(text)) return isBare.test(types.get(column) ?? '') ? text : quoted(text);
  const record = quoted(`{${JSON.stringify(column)}: ${text}}`);
  const type = types.get(column);
  // a row of the whole table would need values for domains that do not allow NULL
  return type === undefined
    ? `(jsonb_populate_record(NULL::${name}, ${record})).${identifier(column)}`
    : `(SELECT * FROM jsonb_to_record(${record}) AS r (${identifier(column)} ${type}))`;
}

/** Types whose numbers or `true` need no quotes. */
const isBare = /^(?:smallint|integer|bigint|numeric|real|double precision|boolean)\b/;

function quoted(text: string): string {
  if (isSafe(text)) return `'${text.replaceAll("'", "''")}'`;
  return `E'${sanitize(text.replaceAll(/['\\]/g, '\\$&'))}'`;
}

/** Quotes a name always, so that it cannot be taken for a keyword or end early. */
function identifier(name: string): string {
  const inner = name.replaceAll('"', '""');
  return isSafe(name) ? `"${inner}"` : `U&"${unicode(inner)}"`;
}

function unicode(text: string): string {
  return [...text.replaceAll('\\', '\\\\')]
    .map((character) =>
      isSafe(character)
        ? character
        : `\\+${(character.codePointAt(0) ?? 0).toString(16).padStart(6, '0')}`,
    )
    .join('');
}
