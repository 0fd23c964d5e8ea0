/** Comma-separated values (RFC 4180), made for spreadsheets: what must be exact is to be read from JSON. */

import { sanitize } from '../client/sanitize.ts';
import type { JsonText } from '../model/json.ts';

/** Puts fields, quoted already where they must be, into a line. */
export function csvLine(fields: readonly string[]): string {
  return `${fields.join(',')}\n`;
}

/**
 * Writes a text as a field: control characters as visible escapes, the empty text in quotes to tell it from NULL, and
 * with an apostrophe before it whatever a spreadsheet would take for a formula.
 */
export function csvText(text: string): string {
  const safe = sanitize(/^[=+\-@]/.test(text) ? `'${text}` : text);
  return safe === '' || /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Writes a JSON value that came from a column; NULL, and what is not there, as nothing at all. */
export function csvValue(value: JsonText | undefined): string {
  if (value === undefined || value.text === 'null') return '';
  if (value.text.startsWith('"')) return csvText(JSON.parse(value.text) as string);
  return /^-?\d/.test(value.text) ? value.text : csvText(value.text);
}
