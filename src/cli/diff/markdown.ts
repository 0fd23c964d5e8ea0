/** A diff for a comment on GitHub or GitLab: each table is collapsed, and the whole fits into one comment. */

import { keyCell, tableCell } from '../../client/cell.ts';
import type { DiffReader, ReadChange } from '../../client/diff-reader.ts';
import { columnCell } from '../../client/values.ts';
import {
  changesHidden,
  countsInWords,
  furtherExplained,
  nothingInWords,
  triggersInWords,
} from '../../client/words.ts';
import type { ChangeCounts, Operation } from '../../model/change.ts';
import { changesIn, stepSumOf, sumOf } from '../../model/change.ts';
import { markdownCode } from '../output/markdown.ts';
import type { DiffFormat, Ending } from './format.ts';
import { cellsOf, changedParts, hiddenTables, isEmpty, sideOf } from './format.ts';
import { walkedFormat } from './table-walk.ts';

/** GitHub accepts 65,536 characters; the rest is for the closing lines. */
const roomForChanges = 63_000;
const roomForTables = 64_500;

const words: Readonly<Record<Operation, string>> = {
  INSERT: '+ inserted',
  UPDATE: '~ updated',
  DELETE: '- deleted',
};

/** The maximum number of tables without net changes that are named; the closing line counts all of them. */
const mostPassed = 10;

/**
 * Creates the format. Changes that do not fit are counted, and the text ends with the command that shows them.
 * @param head the text before the changes
 */
export function createMarkdownFormat(reader: DiffReader, id: string, head = ''): DiffFormat {
  let length = 0;
  let left = 0;
  return walkedFormat(reader, {
    head,
    admits: (text) => {
      const isFitting = left === 0 && length + text.length <= roomForChanges;
      if (isFitting) length += text.length;
      else left += 1;
      return isFitting;
    },
    open: (table) => tableHeading(reader, table),
    row: changeLine,
    close: () => '\n</details>\n\n',
    end: (ending) => {
      const passed = passedText(reader);
      const hidden = hiddenText(
        hiddenTables(reader),
        Math.max(length, head.length) + passed.length,
      );
      return passed + hidden + closing(ending, reader, id, left);
    },
  });
}

function tableHeading(reader: DiffReader, table: string): string {
  const counts = countsInWords(reader.countsOf(table));
  const words = triggersInWords(reader.triggersOf(table));
  const triggers = words === null ? '' : `${markdownCode(words)}\n\n`;
  return `<details>\n<summary>${markdownCode(tableCell(table))}: ${counts}</summary>\n\n${triggers}| | row | changes |\n|---|---|---|\n`;
}

/** Names the tables without net changes. */
function passedText(reader: DiffReader): string {
  return reader.counts
    .filter((counts) => !counts.hidden && changesIn(counts) === 0)
    .slice(0, mostPassed)
    .map((counts) => `${markdownCode(tableCell(counts.table))}: ${countsInWords(counts)}\n\n`)
    .join('');
}

function changeLine(change: ReadChange): string {
  const changed = change.type === 'UPDATE' ? changedParts(change) : cellsOf(change);
  const cells = changed.map((cell) => {
    const { before, after } = cell;
    const sides =
      change.type === 'UPDATE'
        ? [sideOf(cell, before), sideOf(cell, after)]
        : [before, after].filter((side) => side !== undefined).map(columnCell);
    return `${markdownCode(cell.label)}: ${sides.map(markdownCode).join(' → ')}`;
  });
  return `| ${words[change.type]} | ${markdownCode(keyCell(change.rowId))} | ${cells.join('<br>')} |\n`;
}

/** Returns a line for each hidden table; tables that do not fit are summed up in one line. */
function hiddenText(tables: readonly ChangeCounts[], length: number): string {
  let text = '';
  for (const [index, counts] of tables.entries()) {
    const line = `${markdownCode(tableCell(counts.table))}: ${changesHidden(counts)}\n\n`;
    if (length + text.length + line.length > roomForTables) {
      const others = tables.slice(index);
      return `${text}${others.length} more tables: ${changesHidden(stepSumOf(others))}\n\n`;
    }
    text += line;
  }
  return text;
}

function closing({ shown, totals }: Ending, reader: DiffReader, id: string, left: number): string {
  const { digest } = reader;
  if (isEmpty(totals)) return `${nothingInWords(reader.isRejected)}\n`;
  const all = changesIn(totals);
  const tables = totals.tables === 1 ? '1 table' : `${totals.tables} tables`;
  const missing = all - changesIn(sumOf(hiddenTables(reader))) - shown + left;
  return [
    `**${countsInWords(totals)} in ${tables}**\n`,
    ...(totals.furtherChanges === 0 ? [] : [`${furtherExplained}\n`]),
    ...(missing > 0
      ? [`${missing} of the ${all} changes are not shown here: \`stage diff ${id}\`\n`]
      : []),
    ...(digest === null ? [] : [`Digest: \`${digest}\`\n`]),
  ].join('\n');
}
