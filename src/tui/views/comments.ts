/** The comments on the session, including the messages with which its state changed. */
import { keyCell, tableCell, textCell } from '../../client/cell.ts';
import { sanitize } from '../../client/sanitize.ts';
import type { Comment } from '../../model/event.ts';
import type { State } from '../state/state.ts';
import type { Line } from '../terminal/line.ts';
import { span, wrapLine } from '../terminal/line.ts';

/** Draws the list, with the full selected comment below it. */
export function commentsView(state: State, width: number, height: number): Line[] {
  const { comments } = state;
  if (comments.length === 0) {
    const key = state.keymap.keyFor('comment');
    return [[], [span(`  Nobody has said anything yet. ${key} comments.`, 'faint')]];
  }
  const listed = Math.max(1, Math.min(comments.length, Math.floor(height / 2) - 1));
  const first = Math.max(
    0,
    Math.min(state.comment - Math.floor(listed / 2), comments.length - listed),
  );
  const list = comments.slice(first, first + listed).map((comment, index): Line => {
    const isChosen = first + index === state.comment;
    return [
      span(isChosen ? '> ' : '  ', 'strong'),
      span(headOf(comment), isChosen ? 'chosen' : undefined),
      span(`  ${sanitize(comment.body.replaceAll(/\s+/g, ' ')).slice(0, 300)}`),
    ];
  });
  const chosen = comments[state.comment];
  const whole = chosen === undefined ? [] : commentLines(chosen, width);
  return [...list, [span('─'.repeat(width), 'faint')], ...whole];
}

/** Draws a comment with all its lines. */
export function commentLines(comment: Comment, width: number): Line[] {
  const room = Math.max(10, width - 4);
  const lines = comment.body.split('\n').flatMap((line) => wrapLine([span(sanitize(line))], room));
  return [
    [span('" ', 'accent'), span(headOf(comment), 'strong'), span(`  ${comment.at}`, 'faint')],
    ...lines.map((line): Line => [span('    '), ...line]),
  ];
}

const verbs: Readonly<Record<string, string>> = {
  proposed: 'proposed',
  changes_requested: 'wants changes',
  withdrawn: 'took it back',
};

/** Returns `ann on orders 7`, or `bob wants changes`. */
function headOf({ by, kind, table, rowId }: Comment): string {
  const who = by === null ? 'somebody' : textCell(by);
  const what = verbs[kind];
  if (what !== undefined) return `${who} ${what}`;
  if (table === null) return who;
  return `${who} on ${tableCell(table)}${rowId === null ? '' : ` ${keyCell(rowId)}`}`;
}
