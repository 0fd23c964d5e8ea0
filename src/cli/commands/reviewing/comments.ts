/** `stage comments`: lists the comments on a session, oldest first. */
import { keyCell, tableCell, textCell } from '../../../client/cell.ts';
import { sanitize } from '../../../client/sanitize.ts';
import type { Comment } from '../../../model/event.ts';
import { listOptions } from '../../arguments/options.ts';
import { openStates } from '../../arguments/session-argument.ts';
import { defineSessionCommand } from '../../define-command.ts';
import type { ListOptions } from '../../output/list.ts';
import { showList } from '../../output/list.ts';

const columns = [
  { title: 'comment' },
  { title: 'time' },
  { title: 'by' },
  { title: 'kind' },
  { title: 'about' },
  { title: 'body' },
] as const;

export const commentsCommand = defineSessionCommand<ListOptions>({
  description: 'List the comments on a session, oldest first.',
  options: [...listOptions],
  examples: ['stage comments', 'stage comments sess_2f0c... -o jsonl'],
  states: openStates,
  work: async ({ context, connection, id }, options) => {
    await showList(context, options, {
      columns,
      row: commentRow,
      member: 'comments',
      none: 'No comments.',
      fetch: (page) => connection.api.listComments(id, page),
    });
  },
});

function commentRow({ id, at, by, kind, table, rowId, body }: Comment): string[] {
  const row = rowId === null ? '' : ` ${keyCell(rowId)}`;
  const about = table === null ? '' : `${tableCell(table)}${row}`;
  return [id, at, by === null ? '' : textCell(by), kind, about, sanitize(body)];
}
