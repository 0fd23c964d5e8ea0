/** Tables of the type cases: columns of several types share one, because each table and each statement costs time. */
import pg from 'pg';
import type { Family, Subject } from '../e2e/types/family.ts';

/** A column of a table of the story: `type` may have words after the type's name. */
export interface Column extends Subject {
  readonly name: string;
}

/** A key has a table of its own. */
export interface TypeTable {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly isKey: boolean;
  /** Whether the diff shows the rows as `to_jsonb` does: not documents, nor keys, whose rows it shows as changes of others. */
  readonly showsImages: boolean;
}

const isDocument = ({ type }: Subject) => type.startsWith('json');

/** Returns the tables that contain a column for each subject of a family. */
export function typeTables({ subjects }: Family): TypeTable[] {
  const plain = subjects.filter(({ isKey }) => !isKey);
  const shared = [
    { name: 'plain', members: plain.filter((subject) => !isDocument(subject)), showsImages: true },
    { name: 'documents', members: plain.filter(isDocument), showsImages: false },
  ].map(({ name, members, showsImages }) => ({
    name,
    columns: members.map((subject, at) => ({ ...subject, name: `v${at}` })),
    isKey: false,
    showsImages,
  }));
  const keys = subjects
    .filter(({ isKey }) => isKey)
    .map((subject, at) => ({
      name: `k${at}`,
      columns: [{ ...subject, name: 'v' }],
      isKey: true,
      showsImages: false,
    }));
  return [...shared.filter(({ columns }) => columns.length > 0), ...keys];
}

export const literalOf = (value: string | null) =>
  value === null ? 'NULL' : pg.escapeLiteral(value);

/** Returns the value of a column in a row. Columns with fewer values than others repeat them. */
export const valueAt = ({ values }: Column, row: number) => values[row % values.length] ?? null;

export const rowCount = ({ columns }: TypeTable) =>
  Math.max(...columns.map(({ values }) => values.length));

/** Returns the SQL of the tables, with the rows that their statements change and delete, in both schemas. */
export function createTables(tables: readonly TypeTable[]): string {
  const statements = tables.flatMap((table) =>
    ['public', 'direct'].map((schema) =>
      table.isKey ? createKeyTable(schema, table) : createPlainTable(schema, table),
    ),
  );
  return ['CREATE SCHEMA direct;', ...statements].join('\n');
}

function createKeyTable(schema: string, { name, columns }: TypeTable): string {
  return columns
    .map(({ type, values }) => {
      const rows = values.slice(0, Math.ceil(values.length / 2)).map(
        (value) => `
      INSERT INTO ${schema}.${name} VALUES (${literalOf(value)}, 1) ON CONFLICT DO NOTHING;`,
      );
      return `CREATE TABLE ${schema}.${name} (v ${type} PRIMARY KEY, n int NOT NULL);${rows.join('')}`;
    })
    .join('');
}

function createPlainTable(schema: string, table: TypeTable): string {
  const { name, columns } = table;
  const rows = Array.from({ length: rowCount(table) }, (_, at) => {
    const values = columns.map((column) => literalOf(valueAt(column, at))).join(', ');
    return `(${at}, ${values}), (${100 + at}, ${values})`;
  });
  const definitions = columns.map((column) => `, ${column.name} ${column.type}`).join('');
  return `CREATE TABLE ${schema}.${name} (id int PRIMARY KEY${definitions}); INSERT INTO ${schema}.${name} VALUES ${rows.join(', ')};`;
}
