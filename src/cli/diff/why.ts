/** `stage diff --why`: shows each change with the statements that made it. */

import { causeInWords } from '../../client/cause-words.ts';
import { tableCell } from '../../client/cell.ts';
import type { ChangeFilter } from '../../client/filters.ts';
import { safeJson } from '../../client/sanitize.ts';
import type { Signs } from '../../client/signs.ts';
import { unicodeSigns } from '../../client/signs.ts';
import { changesHidden, countsInWords, nothingInWords } from '../../client/words.ts';
import { StageError } from '../../errors.ts';
import type { ChangePage, NumberedChange, TableOutline } from '../../model/change.ts';
import { changesIn, stepCountsOf } from '../../model/change.ts';
import { JsonText } from '../../model/json.ts';
import { elementsOf, membersOf } from '../../model/json-members.ts';
import type { Connection, Context } from '../context.ts';
import { endLine } from './json.ts';
import type { DiffOutput, PlainOptions } from './plain.ts';
import { warnOfHidden } from './plain.ts';
import { changeLines } from './text.ts';

/** The changes per request. */
const pageSize = 200;

/** Writes the changes as they arrive, and returns their number including hidden ones. */
export async function showWhy(
  context: Context,
  connection: Connection,
  id: string,
  output: DiffOutput,
  options: PlainOptions,
): Promise<number> {
  if (output !== 'text' && output !== 'jsonl') {
    throw new StageError('usage', `why a change is there cannot be written as ${output}`, {
      hint: 'Leave --why out, or choose --output text or jsonl.',
    });
  }
  if (options.where !== undefined || options.limit !== undefined) {
    throw new StageError('usage', '--why goes with neither --where nor --limit', {
      hint: 'Choose changes by --table and --filter: see `stage diff --help`.',
    });
  }
  const { out } = context;
  // read first: if the session changes meanwhile, nobody approves by it what is shown here
  const digest = await connection.api.readDigest(id);
  const { tables } = (await connection.api.readOutline(id)).value;
  const wanted = tables.filter(({ table }) => (options.table ?? table) === table);
  let [count, shown] = [0, 0];
  for (const table of wanted) {
    const write = output === 'jsonl' ? writeJson : writeText;
    const written = await write(context, connection, id, table, options);
    count += written;
    if (!table.hidden) shown += written;
  }
  if (output === 'jsonl') await out.write(endLine(shown, digest));
  else if (wanted.length > 0) await out.line(`digest ${digest}`);
  else {
    const { status } = (await connection.api.getSession(id)).value;
    await out.line(nothingInWords(status === 'rejected'));
  }
  return count;
}

type Write = (
  context: Context,
  connection: Connection,
  id: string,
  table: TableOutline,
  options: PlainOptions,
) => Promise<number>;

const writeText: Write = async ({ out }, connection, id, table, options) => {
  const counts = stepCountsOf([table]);
  await out.line(out.paint('heading', tableCell(table.table)));
  if (table.hidden) {
    await out.lines([`  ${changesHidden(counts)}`, '']);
    return changesIn(counts) + counts.furtherChanges;
  }
  let count = 0;
  for await (const { value } of pagesOf(connection, id, table, options)) {
    count += value.changes.length;
    const lines = value.changes.flatMap((change) => [
      ...changeLines({ ...change, columns: table.columns }, out.paint, options.mode ?? 'line'),
      ...causesOf(change, value, out.paint.signs).map((text) =>
        out.paint('faint', `      ${text}`),
      ),
    ]);
    await out.lines(lines);
  }
  await out.lines([out.paint('faint', `  ${countsInWords(counts)}`), '']);
  return count;
};

function causesOf(
  { why = [] }: NumberedChange,
  { mutations = [] }: ChangePage,
  signs: Signs = unicodeSigns,
): string[] {
  const known = new Map(mutations.map((mutation) => [mutation.id, mutation]));
  return why.map((cause) => causeInWords(cause, known.get(cause.mutationId), signs));
}

const writeJson: Write = async ({ out }, connection, id, table, options) => {
  const counts = stepCountsOf([table]);
  if (table.hidden) {
    await warnOfHidden(out, [{ table: table.table, ...counts }]);
    return changesIn(counts) + counts.furtherChanges;
  }
  let count = 0;
  for await (const { body } of pagesOf(connection, id, table, options)) {
    const changes = elementsOf(membersOf(new JsonText(body)).get('changes') ?? new JsonText('[]'));
    const named = `{"table":${JSON.stringify(table.table)},`;
    count += changes.length;
    await out.write(changes.map(({ text }) => `${safeJson(named + text.slice(1))}\n`).join(''));
  }
  return count;
};

async function* pagesOf(
  { api }: Connection,
  id: string,
  { table }: TableOutline,
  { filter }: PlainOptions,
) {
  const asked: ChangeFilter = { table, type: filter, why: 'true', cursor: '0', limit: pageSize };
  for (let cursor: string | null = '0'; cursor !== null; ) {
    const page = await api.listChanges(id, { ...asked, cursor });
    yield page;
    cursor = page.value.nextCursor;
  }
}
