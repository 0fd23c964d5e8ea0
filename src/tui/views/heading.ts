/** The two lines at the top: the session and the size of its diff, then the panes. */
import { nameCell, tableCell } from '../../client/cell.ts';
import { sanitize } from '../../client/sanitize.ts';
import { ageOf, authorOf, remarkOf, titleOf } from '../../client/session-words.ts';
import { stepCountsOf } from '../../model/change.ts';
import type { Session } from '../../model/session.ts';
import { shortId } from '../../model/session.ts';
import { isReviewed } from '../state/reviewed.ts';
import type { Pane, State } from '../state/state.ts';
import { currentDigest, currentTable, listLength, sortOf } from '../state/state.ts';
import type { Line } from '../terminal/line.ts';
import { span } from '../terminal/line.ts';
import { fit, widthOf } from '../terminal/text.ts';
import { countSpans } from './tables.ts';

const inGroups = (count: number) => count.toLocaleString('en-US');

/** Draws the session, the size of its diff, and the digest. */
export function headingLine(state: State): Line {
  const { session, outline, database, offline } = state;
  if (session === null) return [span(' stage diff', 'strong'), span('  connecting …', 'faint')];
  const gone = offline === null ? [] : [span(' OFFLINE', 'alarm')];
  const digest = currentDigest(state);
  const counts = stepCountsOf(outline?.tables ?? []);
  return [
    span(' stage diff ', 'strong'),
    span(`sess_${shortId(session.id)} `, 'accent'),
    span(session.status.toUpperCase(), session.status === 'active' ? 'changed' : 'strong'),
    ...gone,
    ...remarkSpans(session),
    span('  '),
    ...countSpans(counts),
    ...(counts.furtherChanges === 0 ? [] : [span('further ', 'accent')]),
    span(` ${headOf(session)}`),
    span(` in ${sanitize(database)}`),
    // the digest is last, as a long line is cut; the confirmation of an approval shows the whole digest
    ...(digest === null ? [] : [span(`  ${digest.slice(0, 19)}…`, 'faint')]),
  ];
}

/** Returns when the session is applied, or that it went past the policy; nothing for any other. */
function remarkSpans(session: Session): Line {
  const remark = remarkOf(session);
  if (remark === '') return [];
  return [
    span(` ${fit(remark, Math.min(60, widthOf(remark)))}`, session.reviewDue ? 'alarm' : 'strong'),
  ];
}

/** Returns who made the session, for what, and how long ago. */
function headOf(session: Session): string {
  const named = [authorOf(session), titleOf(session)].filter((text) => text !== '').join(': ');
  const about = named === '' ? [] : [fit(named, Math.min(40, widthOf(named)))];
  return [...about, `${ageOf(session.createdAt)} old`].join(', ');
}

const titles: Readonly<Record<Pane, (state: State) => string>> = {
  tables: () => 'Tables',
  rows: () => 'Rows',
  detail: () => 'Detail',
  log: ({ session }) => `Log ${inGroups(session?.mutationCount ?? 0)}`,
  conflicts: ({ conflicts }) => `Conflicts ${conflicts === null ? '…' : conflicts.length}`,
  comments: ({ comments }) => `Comments ${comments.length}`,
  effects: () => 'Effects',
};

/** Draws the panes, the current one in brackets, and the position in the list. */
export function tabsLine(state: State): Line {
  const tabs = (Object.keys(titles) as Pane[]).flatMap((pane) => {
    const title = titles[pane](state);
    return pane === state.pane
      ? [span(`[${title}]`, 'strong')]
      : [span(' '), span(title, isAlarming(state, pane) ? 'alarm' : 'faint'), span(' ')];
  });
  const merged = tabs.filter(({ text }, index) => text !== ' ' || tabs[index - 1]?.text !== ' ');
  return [...merged, span(' '), span(positionText(state), 'faint')];
}

function isAlarming({ conflicts, rehearsal }: State, pane: Pane): boolean {
  if (pane === 'conflicts') return (conflicts?.length ?? 0) > 0;
  return pane === 'effects' && rehearsal?.ok === false;
}

function positionText(state: State): string {
  const table = currentTable(state);
  if (table === null) return '';
  const length = listLength(state);
  const position = length === 0 ? '0' : inGroups(state.row + 1);
  const filter = state.filter === 'all' ? '' : ` ${state.filter} only`;
  return `${tableCell(table.table)} ${position}/${inGroups(length)}${filter}${sortText(state)}${searchText(state)}${reviewedText(state)}`;
}

function sortText(state: State): string {
  const sort = sortOf(state);
  return sort === null ? '' : ` by ${nameCell(sort.column)}${sort.descending ? '↓' : '↑'}`;
}

function searchText({ search }: State): string {
  if (search === null) return '';
  const more = search.cursor === null ? '' : '+';
  const at = search.found.length === 0 ? 0 : search.current + 1;
  return `  /${sanitize(search.text)} ${at}/${search.found.length}${more}`;
}

function reviewedText(state: State): string {
  if (state.reviewed.size === 0) return '';
  const change = state.changes.get(state.row);
  const seen = change && isReviewed(state, change) ? ' (this one too)' : '';
  return `  ${inGroups(state.reviewed.size)} reviewed${seen}`;
}
