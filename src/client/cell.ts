/** Formats values of rows so that NULL, the empty string, spaces and control characters can be distinguished. */
import type { JsonText } from '../model/json.ts';
import { membersOf } from '../model/json-members.ts';
import { shownParts } from '../model/table.ts';
import { isSafe, sanitize } from './sanitize.ts';

/** Texts in place of a value where there is no row, or the session deletes the row. */
export const noRow = '(no row)';
export const deletedRow = '(row deleted)';

/** Texts that a reader could mistake for something else if they were not quoted. */
const ambiguous = /^$|^\s|\s$|\s{2}|^(?:null|E?')|→|->|: |^\((?:no row|row deleted)\)$/i;

/** Formats a text: bare if that is unambiguous, else as a literal of PostgreSQL: `''`, `'NULL'`, `E'two\nlines'`. */
export function textCell(text: string): string {
  if (!isSafe(text)) return `E'${sanitize(text.replaceAll(/['\\]/g, '\\$&'))}'`;
  return ambiguous.test(text) ? `'${text.replaceAll("'", "''")}'` : text;
}

/** Formats a JSON value of a column. Numbers keep their digits, and nested JSON its text. */
export function valueCell(value: JsonText): string {
  if (value.text === 'null') return 'NULL';
  if (value.text.startsWith('"')) return textCell(JSON.parse(value.text) as string);
  return isNumber.test(value.text) ? shortNumber(value.text) : sanitize(value.text);
}

const isNumber = /^-?\d+(?:\.\d+)?$/;

/** So many zeros before or behind the digits of a number are written as an exponent: the smallest float8 has 323 of them in JSON. */
const mostZeros = 40;

/** Writes a number of many zeros with an exponent. No digit of it is lost, not even a zero at the end of a fraction. */
function shortNumber(text: string): string {
  if (text.length <= mostZeros) return text;
  const sign = text.startsWith('-') ? '-' : '';
  const [whole = '', fraction] = text.slice(sign.length).split('.');
  if (fraction === undefined) {
    let end = whole.length;
    while (whole[end - 1] === '0') end -= 1;
    if (end === 0 || whole.length - end < mostZeros) return text;
    return `${sign}${pointed(whole.slice(0, end))}e+${whole.length - 1}`;
  }
  const zeros = /^0*/.exec(fraction)?.[0].length ?? 0;
  if (whole !== '0' || zeros === fraction.length || zeros < mostZeros) return text;
  return `${sign}${pointed(fraction.slice(zeros))}e-${zeros + 1}`;
}

const pointed = (digits: string) =>
  digits.length === 1 ? digits : `${digits[0]}.${digits.slice(1)}`;

/** Formats the key of a row: its value, or `column=value,...` for a key of several columns. */
export function keyCell(rowId: JsonText): string {
  const members = [...membersOf(rowId)];
  if (members.length === 0) return valueCell(rowId);
  return members.map(([name, value]) => `${nameCell(name)}=${valueCell(value)}`).join(',');
}

/** Formats the name of a table as SQL accepts it: each part is quoted unless it is a plain word. */
export function tableCell(shown: string): string {
  const parts = shownParts(shown).map((part) =>
    /^[\p{Ll}\p{Lo}_][\p{Ll}\p{Lo}\p{N}_$]*$/u.test(part)
      ? part
      : `"${sanitize(part.replaceAll('"', '""'))}"`,
  );
  return parts.join('.');
}

/** Formats the name of a column. It is quoted unless it is a plain word. */
export function nameCell(name: string): string {
  return /^[\p{L}\p{N}_$]+$/u.test(name) ? name : `"${sanitize(name.replaceAll('"', '""'))}"`;
}
