/** `stage diff --steps`: shows every change that approval replays, in order. */
import { tableCell } from '../../client/cell.ts';
import type { ReadChange } from '../../client/diff-reader.ts';
import { DiffReader } from '../../client/diff-reader.ts';
import { safeJson } from '../../client/sanitize.ts';
import { changesHidden, nothingInWords } from '../../client/words.ts';
import { StageError } from '../../errors.ts';
import { changesIn, stepSumOf } from '../../model/change.ts';
import type { Connection, Context } from '../context.ts';
import type { Paint } from '../output/colour.ts';
import { hiddenTables } from './format.ts';
import { endLine } from './json.ts';
import type { DiffOutput } from './plain.ts';
import { warnOfHidden } from './plain.ts';
import type { SelectionOptions } from './selection.ts';
import { changeLines } from './text.ts';
import type { TextMode } from './text-modes.ts';

export interface StepsOptions extends SelectionOptions {
  readonly table?: string;
  readonly mode?: TextMode;
}

/** Writes the steps as they arrive, and returns their number including hidden ones. */
export async function showSteps(
  { out }: Context,
  { api }: Connection,
  id: string,
  output: DiffOutput,
  { table, filter, where, limit, mode = 'line' }: StepsOptions,
): Promise<number> {
  if (output !== 'text' && output !== 'json' && output !== 'jsonl') {
    throw new StageError('usage', `steps cannot be written as ${output}`, {
      hint: 'Leave --steps out, or choose --output text, json or jsonl.',
    });
  }
  if (where !== undefined || limit !== undefined) {
    throw new StageError('usage', 'steps are not chosen by --where or --limit', {
      hint: 'Choose them by --table and --filter: see `stage diff --help`.',
    });
  }
  const reader = new DiffReader();
  const format = output === 'text' ? textOf(out.paint, mode) : lineOf;
  let count = 0;
  for await (const text of api.diffText(id, { table, type: filter, limit: 0, steps: 'true' })) {
    const steps = reader.push(text);
    count += steps.length;
    await out.write(output === 'json' ? safeJson(text) : steps.map(format).join(''));
  }
  reader.end();
  const shown = count;
  const hidden = hiddenTables(reader);
  const hiddenSum = stepSumOf(hidden);
  count += changesIn(hiddenSum) + hiddenSum.furtherChanges;
  if (output === 'json') await out.write('\n');
  if (output === 'jsonl') {
    await out.write(endLine(shown, reader.digest));
    await warnOfHidden(out, hidden);
  }
  if (output === 'text') {
    const counted = hidden.flatMap((counts) => [
      out.paint('heading', tableCell(counts.table)),
      `  ${changesHidden(counts)}`,
    ]);
    await out.lines([
      ...counted,
      count === 0 ? nothingInWords(reader.isRejected) : `digest ${reader.digest}`,
    ]);
  }
  return count;
}

const lineOf = ({ json }: ReadChange) => `${safeJson(json.text)}\n`;

/** Returns a formatter of steps, which writes the table's name whenever it changes. */
function textOf(paint: Paint, mode: TextMode): (step: ReadChange) => string {
  let table: string | null = null;
  return (step) => {
    const heading = step.table === table ? [] : [paint('heading', tableCell(step.table))];
    table = step.table;
    return [...heading, ...changeLines(step, paint, mode)].map((line) => `${line}\n`).join('');
  };
}
