/** Patterns of columns in the configuration: `table.column` or `schema.table.column`, with `*` for every table. */
import { shownParts } from './table.ts';

/** A name, plain or quoted as in SQL. `*` can only replace a table. */
const name = String.raw`(?:"(?:[^"]|"")+"|[^\s".,*]+)`;
const pattern = new RegExp(String.raw`^(?:(?:${name}\.)?${name}|(?:${name}\.)?\*)\.${name}$`);

const wholeTable = new RegExp(String.raw`^(?:${name}\.)?${name}\.\*$`);

/** Checks whether a text is a valid column pattern: exactly one named column, of one table or of all. */
export const isColumnPattern = (text: string): boolean => pattern.test(text);

/** Checks whether a text names all columns of one table: `table.*` or `schema.table.*`. */
export const isTablePattern = (text: string): boolean => wholeTable.test(text);

/** Returns whether one of the patterns names all columns of a table. @param shownTable the table's name as shown to users */
export function isTableMatching(patterns: readonly string[], shownTable: string): boolean {
  const [schema, table] = schemaAndName(shownParts(shownTable));
  return patterns.filter(isTablePattern).some((text) => {
    const [wantedSchema, wantedTable] = schemaAndName(shownParts(text.slice(0, -2)));
    return wantedSchema === schema && wantedTable === table;
  });
}

/** Returns the columns of a table that match the patterns. @param shownTable the table's name as shown to users */
export function columnsMatching(patterns: readonly string[], shownTable: string): string[] {
  const [schema, table] = schemaAndName(shownParts(shownTable));
  return patterns.flatMap((text) => {
    const parts = text.match(new RegExp(String.raw`${name}|\*`, 'g')) ?? [];
    const [column = ''] = shownParts(parts.at(-1) ?? '');
    const isEvery = parts.at(-2) === '*';
    const [wantedSchema, wantedTable] = schemaAndName(shownParts(parts.slice(0, -1).join('.')));
    const fits = isEvery
      ? parts.length === 2 || wantedSchema === schema
      : wantedSchema === schema && wantedTable === table;
    return fits ? [column] : [];
  });
}

const schemaAndName = (parts: readonly string[]) =>
  parts.length === 1 ? ['public', ...parts] : parts;
