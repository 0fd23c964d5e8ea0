/** `stage diff`: what a session changes, net per row. */

import { nameCell } from '../../client/cell.ts';
import { DiffReader } from '../../client/diff-reader.ts';
import type { ChangeCounts } from '../../model/change.ts';
import type { Connection, Context } from '../context.ts';
import { withServer } from '../context.ts';
import { DiffText, totalLine } from '../diff-text.ts';
import { readReview } from '../review.ts';
import type { ConfigureCommand } from '../run.ts';
import { examples } from '../run.ts';
import { openStates, resolveSession } from '../session-argument.ts';

interface Options {
  readonly table?: string;
  readonly stat?: true;
  readonly exitCode?: true;
}

const help = examples([
  'stage diff',
  'stage diff sess_2f0c... --table orders',
  'stage diff --stat',
  'stage diff --json | jq .summary',
  'stage diff --exit-code > review.txt || echo "there are changes"',
]);

export const configureDiff: ConfigureCommand = (command, run) => {
  command
    .description(
      'Show what a session changes, net per row: + inserted, ~ updated, - deleted. ' +
        'Of an approved session it shows what was applied.',
    )
    .argument('[session]', 'session id')
    .option('--table <table>', 'only this table')
    .option('--stat', 'only the counts of each table')
    .option('--exit-code', 'exit with 2 when there are changes')
    .addHelpText('before', help)
    .action(
      run<Options>(async (context, options, argument) =>
        withServer(context, async (connection) => {
          const id = await resolveSession(context, connection, argument, openStates);
          const counts = await show(context, connection, id, options);
          return options.exitCode && counts.length > 0 ? 2 : 0;
        }),
      ),
    );
};

/** Writes the diff in the form asked for, and gives its counts (with --json only where --exit-code wants to know them). */
async function show(context: Context, connection: Connection, id: string, options: Options) {
  if (context.out.json) return showJson(context, connection, id, options);
  return options.stat
    ? showStat(context, connection, id, options)
    : showText(context, connection, id, options);
}

async function showJson({ out }: Context, { api }: Connection, id: string, options: Options) {
  const { table, stat, exitCode } = options;
  const reader = exitCode ? new DiffReader() : null;
  for await (const text of api.diffText(id, { table, limit: stat ? 0 : undefined })) {
    reader?.push(text);
    await out.write(text);
  }
  await out.write('\n');
  return reader?.counts ?? [];
}

const columns = [
  { title: 'table' },
  { title: 'inserted', align: 'right' },
  { title: 'updated', align: 'right' },
  { title: 'deleted', align: 'right' },
] as const;

async function showStat({ out }: Context, connection: Connection, id: string, { table }: Options) {
  const { counts } = await readReview(connection, id, table);
  const cells = ({ table: name, inserts, updates, deletes }: ChangeCounts) => [
    nameCell(name),
    ...[inserts, updates, deletes].map(String),
  ];
  await out.table(columns, counts.map(cells));
  if (out.terminal) await out.line(totalLine(counts, out.paint));
  return counts;
}

async function showText({ out }: Context, { api }: Connection, id: string, { table }: Options) {
  const reader = new DiffReader();
  const text = new DiffText(reader, out.paint);
  for await (const part of api.diffText(id, { table })) await out.lines(text.push(part));
  await out.lines(text.end());
  return reader.counts;
}
