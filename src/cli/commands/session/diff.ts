/** `stage diff`: shows what a session changes, net per row. */
import { Option } from 'commander';
import { shownAs } from '../../../model/table.ts';
import { operationOption, wholeNumber } from '../../arguments/options.ts';
import { chosenOutput, outputOption } from '../../arguments/output-option.ts';
import { openStates } from '../../arguments/session-argument.ts';
import type { Connection, Context } from '../../context.ts';
import { defineSessionCommand } from '../../define-command.ts';
import type { Detail } from '../../diff/counts.ts';
import { showDiffCounts } from '../../diff/counts.ts';
import { openInterface, wantsInterface } from '../../diff/interface.ts';
import type { DiffOutput, PlainOptions } from '../../diff/plain.ts';
import { diffOutputs, showPlainDiff } from '../../diff/plain.ts';
import { showBrief } from '../../diff/show-brief.ts';
import { showSteps } from '../../diff/steps.ts';
import { textModes } from '../../diff/text-modes.ts';
import { walk } from '../../diff/walk.ts';
import { showWhy } from '../../diff/why.ts';
import type { SharedOptions } from '../../settings.ts';

interface Options extends PlainOptions, SharedOptions {
  readonly output?: DiffOutput;
  readonly brief?: true;
  readonly stat?: true;
  readonly summary?: true;
  readonly nameOnly?: true;
  readonly steps?: true;
  readonly why?: true;
  readonly exitCode?: true;
  readonly patch?: true;
}

export const diffCommand = defineSessionCommand<Options>({
  description:
    'Show what a session changes, net per row: + inserted, ~ updated, - deleted. ' +
    'Of an approved session it shows what was applied. ' +
    'In a terminal, without options about its form, it opens the review; the key ? lists the keys there.',
  options: [
    outputOption(diffOutputs, 'text'),
    new Option('--mode <mode>', 'layout of the text (default: line)').choices(textModes),
    ['--brief', 'what the changes mean, in sentences, and what is unusual'],
    ['--stat', 'only the counts of each table'],
    ['--summary', 'only the counts of all tables together'],
    ['--name-only', 'only the names of the tables'],
    ['--steps', 'every change that approval replays, in order'],
    ['--why', 'with the statements that made each change, and the foreign keys that carried them'],
    ['--table <table>', 'only this table', shownAs],
    operationOption('--filter <kind>', 'only changes of this kind'),
    [
      '--where <condition>',
      'only rows that meet it: SQL comparisons of columns; from_ and to_ before a name mean one side of the change',
    ],
    ['--limit <count>', 'at most this many changes', wholeNumber],
    ['--patch', 'one change after the other: asks about each, and marks it as reviewed'],
    ['--exit-code', 'exit with 2 when there are changes'],
  ],
  examples: [
    'stage diff',
    'stage diff sess_2f0c... --table orders --mode stacked',
    `stage diff --filter updates --where "from_price < 10 AND to_price >= 10"`,
    'stage diff --patch --table orders',
    'stage diff --brief',
    'stage diff --stat',
    'stage diff --steps',
    'stage diff --why --table orders',
    'stage diff -o markdown > comment.md',
    'stage diff -o html > review.html',
    'stage diff --json | jq .summary',
    'stage diff --exit-code > review.txt || echo "there are changes"',
  ],
  states: openStates,
  work: async ({ context, connection, id }, options) => {
    return present(context, connection, id, options);
  },
});

/** Shows the diff in the requested way. Returns the exit code. */
async function present(context: Context, connection: Connection, id: string, options: Options) {
  if (options.patch) {
    await walk(context, connection, id, options);
    return 0;
  }
  const shown = wantsInterface(context, options)
    ? await openInterface(context, connection, id)
    : await show(context, connection, id, options);
  return options.exitCode && shown > 0 ? 2 : 0;
}

/** Writes the diff in the requested format and returns the number of changes shown. */
async function show(context: Context, connection: Connection, id: string, options: Options) {
  const output = chosenOutput(options) ?? 'text';
  if (options.brief) return showBrief(context, connection, id, output);
  if (options.steps) return showSteps(context, connection, id, output, options);
  if (options.why) return showWhy(context, connection, id, output, options);
  const detail = detailOf(options);
  return detail === null
    ? showPlainDiff(context, connection, id, output, options)
    : showDiffCounts(context, connection, id, output, { detail, table: options.table });
}

function detailOf({ stat, summary, nameOnly }: Options): Detail | null {
  if (nameOnly) return 'names';
  if (summary) return 'summary';
  return stat ? 'stat' : null;
}
