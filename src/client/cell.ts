/** How a value of a row is shown: NULL, the empty string, spaces and control characters can be told apart. */
import type { JsonText } from '../model/json.ts';
import { shownParts } from '../model/table.ts';
import { membersOf } from './fields.ts';
import { isSafe, sanitize } from './sanitize.ts';

/** What stands in the place of a value where there is no row, or the session deletes it. */
export const noRow = '(no row)';
export const deletedRow = '(row deleted)';

/** Texts that could be read as something else when they stand bare between others. */
const ambiguous = /^$|^\s|\s$|\s{2}|^(?:null|E?')|→|: |^\((?:no row|row deleted)\)$/i;

/**
 * Shows a text bare where that is unmistakable, else as the literal PostgreSQL would take for it:
 * `''`, `'NULL'`, `E'two\nlines'`.
 */
export function textCell(text: string): string {
  if (!isSafe(text)) return `E'${sanitize(text.replaceAll(/['\\]/g, '\\$&'))}'`;
  return ambiguous.test(text) ? `'${text.replaceAll("'", "''")}'` : text;
}

/** Shows a JSON value that came from a column; numbers and nested JSON as they were sent. */
export function valueCell(value: JsonText): string {
  if (value.text === 'null') return 'NULL';
  if (value.text.startsWith('"')) return textCell(JSON.parse(value.text) as string);
  return sanitize(value.text);
}

/** Shows the key of a row: its value, or `column=value,...` where it has several columns. */
export function keyCell(rowId: JsonText): string {
  const members = [...membersOf(rowId)];
  if (members.length === 0) return valueCell(rowId);
  return members.map(([name, value]) => `${nameCell(name)}=${valueCell(value)}`).join(',');
}

/** Shows the name of a table as SQL takes it: each part of it quoted where it is not a plain word. */
export function tableCell(shown: string): string {
  const parts = shownParts(shown).map((part) =>
    /^[\p{Ll}\p{Lo}_][\p{Ll}\p{Lo}\p{N}_$]*$/u.test(part)
      ? part
      : `"${sanitize(part.replaceAll('"', '""'))}"`,
  );
  return parts.join('.');
}

/** Shows the name of a column: quoted where it is not a plain word. */
export function nameCell(name: string): string {
  return /^[\p{L}\p{N}_$]+$/u.test(name) ? name : `"${sanitize(name.replaceAll('"', '""'))}"`;
}
