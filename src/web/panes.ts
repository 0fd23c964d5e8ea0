/** The panes beside the rows: conflicts, comments, statements, and effects of a rehearsal. */
/// <reference lib="dom" />
import { roleInWords } from '../client/cause-words.ts';
import { keyCell, nameCell, tableCell, textCell } from '../client/cell.ts';
import { readConflicts, readMutation } from '../client/decode.ts';
import { readComment } from '../client/discussion.ts';
import { Fields } from '../client/fields.ts';
import { conflictPlace, conflictSides } from '../client/place-words.ts';
import type { RehearsalReport } from '../client/rehearsal.ts';
import { rehearsalLines } from '../client/rehearsal-words.ts';
import { conflictInWords } from '../client/words.ts';
import type { Conflict } from '../model/conflict.ts';
import type { Comment } from '../model/event.ts';
import type { Child } from './dom.ts';
import { button, counted, h, lines, timeOf } from './dom.ts';
import type { Edits } from './edits.ts';
import { request, withQuery } from './http.ts';

const mostShown = 500;

export async function readAllConflicts(id: string): Promise<readonly Conflict[]> {
  return readConflicts(new Fields(await request('GET', `/sessions/${id}/conflicts`)));
}

/** Draws the conflicts. @param settle settles a conflict; null if that is not possible */
export function conflictsPane(
  conflicts: readonly Conflict[] | null,
  settle: Edits['settle'],
): Child[] {
  if (conflicts === null) return [h('p', { class: 'none' }, 'Looking…')];
  if (conflicts.length === 0) return [h('p', { class: 'none' }, 'No conflicts with production.')];
  const more = conflicts.length - mostShown;
  return [
    h(
      'ul',
      { class: 'conflicts' },
      ...conflicts.slice(0, mostShown).map((each) => conflictItem(each, settle)),
    ),
    more > 0 ? h('p', {}, `and ${more} more`) : null,
  ];
}

function conflictItem(conflict: Conflict, settle: Edits['settle']): HTMLLIElement {
  const [base, staged, production] = conflictSides(conflict);
  const field = conflict.field === null ? '' : ` ${nameCell(conflict.field)}`;
  const sides = [
    ['was', base],
    ['staged', staged],
    ['in production', production],
  ].filter(([, value]) => value !== '');
  return h(
    'li',
    conflict.ignored ? { class: 'dim' } : {},
    h('b', {}, conflictPlace(conflict) + field),
    `: ${conflictInWords(conflict)}`,
    h(
      'dl',
      {},
      ...sides.flatMap(([name = '', value = '']) => [h('dt', {}, name), h('dd', {}, value)]),
    ),
    settle === null || !canBeSettled(conflict)
      ? null
      : h(
          'p',
          { class: 'edits' },
          button("Keep the session's…", () => settle(conflict, 'mine')),
          button("Take production's…", () => settle(conflict, 'theirs')),
        ),
  );
}

const canBeSettled = ({ kind, ignored, hidden }: Conflict) =>
  kind !== 'schema' && !ignored && !hidden;

export async function readAllComments(id: string): Promise<readonly Comment[]> {
  const path = withQuery(`/sessions/${id}/comments`, { limit: 1000 });
  return new Fields(await request('GET', path)).list('comments').map(readComment);
}

const done: Readonly<Record<string, string>> = {
  comment: 'said',
  proposed: 'proposed it',
  changes_requested: 'asked for changes',
  withdrawn: 'took it back',
};

export function commentsPane(comments: readonly Comment[]): Child[] {
  if (comments.length === 0) return [h('p', { class: 'none' }, 'Nothing was said yet.')];
  return [h('ul', { class: 'comments' }, ...comments.map(commentItem))];
}

export function commentItem({ by, kind, body, table, rowId, at }: Comment): HTMLLIElement {
  const place = table === null ? '' : ` on ${tableCell(table)}${rowId ? ` ${keyCell(rowId)}` : ''}`;
  return h(
    'li',
    {},
    h('b', {}, by === null ? 'somebody' : textCell(by)),
    h('span', { class: 'dim' }, ` ${done[kind] ?? kind}${place} `),
    timeOf(at),
    lines(body),
  );
}

/** Reads the first page of a session's statements. */
export async function statementsPane(id: string): Promise<Child[]> {
  const path = withQuery(`/sessions/${id}/mutations`, { limit: mostShown });
  const answer = new Fields(await request('GET', path));
  const mutations = answer.list('mutations').map(readMutation);
  const total = answer.number('total_count');
  if (total === 0) return [h('p', { class: 'none' }, 'No statement has staged anything.')];
  const items = mutations.map((mutation) =>
    h(
      'li',
      {},
      h('code', {}, mutation.query ?? '(hidden)'),
      h(
        'div',
        { class: 'dim' },
        `${counted(mutation.affectedRows, 'row')} of ${tableCell(mutation.table)} by ${roleInWords(mutation)} `,
        timeOf(mutation.executedAt),
      ),
    ),
  );
  const rest = total > mutations.length ? h('p', {}, `${total - mutations.length} more`) : null;
  return [h('ol', { class: 'statements' }, ...items), rest];
}

export function effectsPane(report: RehearsalReport | null): Child[] {
  if (report === null)
    return [
      h('p', { class: 'none' }, 'Not rehearsed: e has production apply it, and rolls it back.'),
    ];
  return [
    h('div', { class: 'effects' }, ...rehearsalLines(report).map(({ text }) => h('p', {}, text))),
  ];
}
