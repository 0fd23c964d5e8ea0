/** Comma-separated values (RFC 4180), made for spreadsheets: what must be exact is to be read from JSON. */

import { isSafe, sanitize } from '../../client/sanitize.ts';
import type { Value } from '../../client/values.ts';
import { plainText } from '../../client/values.ts';

/** Puts fields, quoted already where they must be, into a line. */
export function csvLine(fields: readonly string[]): string {
  return `${fields.join(',')}\n`;
}

/**
 * Writes a text as a field: the empty text in quotes to tell it from NULL; with an apostrophe before it whatever a spreadsheet
 * would take for a formula, and what could pass for one of the others; with control characters as `E'two\nlines'`.
 */
export function csvText(text: string): string {
  const safe = isSafe(text)
    ? text.replace(/^(?:[=+\-@']|E')/, "'$&")
    : `E'${sanitize(text.replaceAll(/['\\]/g, '\\$&'))}'`;
  return safe === '' || /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Writes the value of a column; NULL, and what is not there, as nothing at all. */
export function csvValue(value: Value | undefined): string {
  const text = value === undefined ? null : plainText(value);
  if (value === undefined || text === null) return '';
  return value.text === undefined && /^-?\d/.test(value.json.text) ? text : csvText(text);
}
