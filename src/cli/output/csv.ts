/** Comma-separated values (RFC 4180), made for spreadsheets. JSON is the exact format. */

import { isSafe, sanitize } from '../../client/sanitize.ts';
import type { Value } from '../../client/values.ts';
import { plainText } from '../../client/values.ts';

/** Joins fields, which are already quoted where necessary, into a line. */
export function csvLine(fields: readonly string[]): string {
  return `${fields.join(',')}\n`;
}

/**
 * Formats a text as a field. The empty text is quoted to distinguish it from NULL. An apostrophe precedes texts that a spreadsheet
 * would take for a formula or that look like an escaped text. Texts with control characters become `E'two\nlines'`.
 */
export function csvText(text: string): string {
  const safe = isSafe(text)
    ? text.replace(/^(?:[=+\-@']|E')/, "'$&")
    : `E'${sanitize(text.replaceAll(/['\\]/g, '\\$&'))}'`;
  return safe === '' || /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Formats the value of a column; NULL and a missing value are empty. */
export function csvValue(value: Value | undefined): string {
  const text = value === undefined ? null : plainText(value);
  if (value === undefined || text === null) return '';
  return value.text === undefined && /^-?\d/.test(value.json.text) ? text : csvText(text);
}
