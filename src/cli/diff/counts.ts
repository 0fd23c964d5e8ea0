/** Shows a diff without its changes: the counts of each table, their sum, or only the tables' names. */

import { DiffReader } from '../../client/diff-reader.ts';
import { safeJson, sanitize } from '../../client/sanitize.ts';
import { StageError } from '../../errors.ts';
import { changesIn } from '../../model/change.ts';
import { stringifyJson } from '../../model/json.ts';
import type { Connection, Context } from '../context.ts';
import type { Paint } from '../output/colour.ts';
import { createRowsWriter } from '../output/table.ts';
import type { Totals } from './format.ts';
import { totalsOf } from './format.ts';
import type { DiffOutput } from './plain.ts';
import { closingLines } from './text.ts';

export type Detail = 'stat' | 'summary' | 'names';

/** One line of the output, by column. */
type Entry = Readonly<Record<string, string | number | null>>;

const columns: Readonly<Record<Detail, readonly string[]>> = {
  stat: ['table', 'inserts', 'updates', 'deletes', 'further_changes'],
  summary: ['tables', 'inserts', 'updates', 'deletes', 'digest', 'further_changes'],
  names: ['table'],
};

/** Returns the columns. That of further changes is left out if there are none, except in JSON objects. */
function columnsOf(detail: Detail, output: DiffOutput, { furtherChanges }: Totals) {
  if (output === 'jsonl' || furtherChanges > 0) return columns[detail];
  return columns[detail].filter((name) => name !== 'further_changes');
}

/** Writes the counts of a session's diff and returns how many changes approval replays. */
export async function showDiffCounts(
  { out }: Context,
  { api }: Connection,
  id: string,
  output: DiffOutput,
  { detail, table }: { readonly detail: Detail; readonly table: string | undefined },
): Promise<number> {
  if (output === 'sql' || output === 'html') {
    throw new StageError('usage', `counts cannot be written as ${output}`, {
      hint: 'Leave --stat, --summary and --name-only out, or choose another --output.',
    });
  }
  const reader = new DiffReader();
  const parts: string[] = [];
  for await (const text of api.diffText(id, { table, limit: 0 })) {
    reader.push(text);
    parts.push(text);
  }
  reader.end();
  const totals = totalsOf(reader, table);
  const shown = changesIn(totals);
  if (output === 'json') await out.document(parts.join(''));
  else {
    const entries = entriesOf(reader, detail, totals);
    const closing = closingLines({ shown, totals }, reader, out.paint);
    const names = columnsOf(detail, output, totals);
    await out.write(entriesText(output, detail, { names, entries }, out.paint));
    if (output === 'text' && detail !== 'names') await out.lines(closing);
  }
  return shown + totals.furtherChanges;
}

function entriesOf(reader: DiffReader, detail: Detail, totals: Totals): Entry[] {
  if (detail === 'summary') return [entryOf({ ...totals, digest: reader.digest })];
  return reader.counts.map(({ hidden: _, ...counts }) => entryOf(counts));
}

function entryOf<T extends { readonly furtherChanges: number }>({ furtherChanges, ...rest }: T) {
  return { ...rest, further_changes: furtherChanges };
}

function entriesText(
  output: Exclude<DiffOutput, 'json' | 'sql' | 'html'>,
  detail: Detail,
  { names, entries }: { readonly names: readonly string[]; readonly entries: readonly Entry[] },
  paint: Paint,
): string {
  const cells = entries.map((entry) => names.map((name) => sanitize(String(entry[name] ?? ''))));
  if (output === 'jsonl') return entries.map((entry) => jsonLine(entry, names)).join('');
  if (output !== 'text') return createRowsWriter(output, names.map(column), paint)(cells);
  if (detail === 'names') return cells.map(([name]) => `${name}\n`).join('');
  if (detail === 'summary' || cells.length === 0) return '';
  return createRowsWriter('table', names.map(column), paint)(cells);
}

function jsonLine(entry: Entry, names: readonly string[]): string {
  return `${safeJson(stringifyJson(Object.fromEntries(names.map((name) => [name, entry[name]]))))}\n`;
}

function column(title: string) {
  const align = /s$/.test(title) ? ('right' as const) : ('left' as const);
  return { title, align };
}
