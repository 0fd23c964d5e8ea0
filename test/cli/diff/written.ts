/** The output of formats for the JSON of a diff. */

import { createCsvFormat } from '../../../src/cli/diff/csv.ts';
import type { DiffFormat } from '../../../src/cli/diff/format.ts';
import { totalsOf } from '../../../src/cli/diff/format.ts';
import { createHtmlFormat } from '../../../src/cli/diff/html.ts';
import type { PageHead } from '../../../src/cli/diff/html-head.ts';
import { createJsonFormat, createJsonLinesFormat } from '../../../src/cli/diff/json.ts';
import { createMarkdownFormat } from '../../../src/cli/diff/markdown.ts';
import { createTextFormat } from '../../../src/cli/diff/text.ts';
import { textModes } from '../../../src/cli/diff/text-modes.ts';
import { createPaint } from '../../../src/cli/output/colour.ts';
import { DiffReader } from '../../../src/client/diff-reader.ts';

export type Create = (reader: DiffReader) => DiffFormat;

export const text =
  (mode: (typeof textModes)[number] = 'line', colour = false): Create =>
  (reader) =>
    createTextFormat(reader, createPaint(colour), mode);
export const forms: Readonly<Record<string, Create>> = {
  ...Object.fromEntries(textModes.map((mode) => [mode, text(mode, true)])),
  json: createJsonFormat,
  jsonl: createJsonLinesFormat,
  csv: createCsvFormat,
  markdown: (reader) => createMarkdownFormat(reader, 'sess_1'),
  html: (reader) => createHtmlFormat(reader, 'sess_1', headOf('Made by ann.')),
};

/** Returns a head with the facts that only a service knows, without tables. */
export const headOf = (about: string, more: Partial<PageHead> = {}): PageHead => ({
  about,
  message: null,
  digest: '',
  tables: [],
  brief: null,
  conflicts: null,
  ...more,
});

/** Returns the output of a format for a diff, optionally of selected changes. */
export function written(
  create: Create,
  json: string,
  wanted: (row: string) => boolean = () => true,
) {
  const reader = new DiffReader();
  const format = create(reader);
  const changes = reader.push(json).filter(({ rowId }) => wanted(rowId.text));
  reader.end();
  const body = changes.map((change) => format.change(change)).join('');
  return body + format.end({ shown: changes.length, totals: totalsOf(reader) });
}
