/** `stage diff` without its terminal interface: writes the changes in the requested format as they arrive. */

import type { ApiClient } from '../../client/api-client.ts';
import { tableCell } from '../../client/cell.ts';
import type { DiffReader as Reader } from '../../client/diff-reader.ts';
import { DiffReader } from '../../client/diff-reader.ts';
import { changesHidden, furtherInWords } from '../../client/words.ts';
import type { ChangeCounts } from '../../model/change.ts';
import { changesIn, stepSumOf } from '../../model/change.ts';
import type { Connection, Context } from '../context.ts';
import type { Output } from '../output/output.ts';
import { grouped, withProgress } from '../progress.ts';
import { briefMarkdown, briefOfDiff } from './brief.ts';
import { createCsvFormat } from './csv.ts';
import type { DiffFormat } from './format.ts';
import { hiddenTables, totalsOf } from './format.ts';
import { createHtmlFormat } from './html.ts';
import { readHead } from './html-head.ts';
import { createJsonFormat, createJsonLinesFormat } from './json.ts';
import { createMarkdownFormat } from './markdown.ts';
import type { SelectionOptions } from './selection.ts';
import { Selection } from './selection.ts';
import { createSqlFormat } from './sql.ts';
import { createTextFormat } from './text.ts';
import type { TextMode } from './text-modes.ts';

export const diffOutputs = ['text', 'json', 'jsonl', 'csv', 'sql', 'markdown', 'html'] as const;
export type DiffOutput = (typeof diffOutputs)[number];

export interface PlainOptions extends SelectionOptions {
  readonly table?: string;
  readonly mode?: TextMode;
}

/** Writes a session's diff and returns the number of its changes, including further and hidden ones. Memory use is bounded. */
export async function showPlainDiff(
  { out }: Context,
  { api }: Connection,
  id: string,
  output: DiffOutput,
  options: PlainOptions,
): Promise<number> {
  const reader = new DiffReader();
  const selection = new Selection(options);
  const { table, mode = 'line' } = options;
  const format = await createFormat(output, { reader, out, api, id, mode, table });
  let read = 0;
  const write = async () => {
    // a script needs the steps of the approval: the net changes may have no order in which every constraint holds
    const steps = output === 'sql' ? ({ limit: 0, steps: 'true' } as const) : {};
    const asked = { table: options.table, type: options.filter, ...steps };
    for await (const text of api.diffText(id, asked)) {
      const changes = reader.push(text);
      read += changes.length;
      const chosen = changes.filter((change) => selection.choose(change));
      await out.write(chosen.map((change) => format.change(change)).join(''));
      if (selection.full) break;
    }
  };
  const describe = () => `${grouped(read)} of ${grouped(changesIn(totalsOf(reader)))} changes`;
  // in a terminal the changes themselves show the progress
  await (out.terminal ? write() : withProgress(out, describe, write));
  if (!selection.full) {
    reader.end();
    selection.end();
  }
  const totals = totalsOf(reader, options.table);
  await out.write(format.end({ shown: selection.chosen, totals }));
  if (options.table !== undefined && totals.tables === 0)
    await out.remark(`Nothing of ${tableCell(options.table)}: see \`stage diff --stat\`.`);
  const hidden = hiddenTables(reader);
  const sumHidden = stepSumOf(hidden);
  const further = totals.furtherChanges - sumHidden.furtherChanges;
  if (output === 'csv' || output === 'jsonl') await warnOfHidden(out, hidden);
  if (further > 0 && (output === 'csv' || output === 'jsonl')) {
    await out.note(
      `warning: approval replays ${furtherInWords(further)} that this form does not show: see \`stage diff --steps\``,
    );
  }
  // further changes have no operation and match no condition
  const net = selection.chosen + changesIn(sumHidden);
  return selection.isWhole && output !== 'sql' ? net + totals.furtherChanges : net;
}

async function markdownHead(
  api: ApiClient,
  id: string,
  table: string | undefined,
): Promise<string> {
  const brief = await briefOfDiff(api, id, table);
  return brief === null ? '' : briefMarkdown(brief);
}

/** Warns on stderr of hidden tables, for formats that cannot include them. */
export async function warnOfHidden(out: Output, tables: readonly ChangeCounts[]): Promise<void> {
  for (const counts of tables)
    await out.note(`warning: ${tableCell(counts.table)}: ${changesHidden(counts)}`);
}

interface Surroundings {
  readonly reader: Reader;
  readonly out: Output;
  readonly api: ApiClient;
  readonly id: string;
  readonly mode: TextMode;
  /** The only table to show. */
  readonly table: string | undefined;
}

async function createFormat(
  output: DiffOutput,
  { reader, out, api, id, mode, table }: Surroundings,
): Promise<DiffFormat> {
  switch (output) {
    case 'text':
      return createTextFormat(reader, out.paint, mode);
    case 'json':
      return createJsonFormat(reader);
    case 'jsonl':
      return createJsonLinesFormat(reader);
    case 'csv':
      return createCsvFormat(reader);
    case 'sql':
      return createSqlFormat((await api.readOutline(id)).value.tables, reader);
    case 'markdown':
      return createMarkdownFormat(reader, id, await markdownHead(api, id, table));
    case 'html':
      return createHtmlFormat(reader, id, await readHead(api, id, table));
  }
}
