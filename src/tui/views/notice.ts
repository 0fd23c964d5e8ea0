/** The lines above the keys: the prompt, the running action, or a notice. */
import { keyCell, tableCell } from '../../client/cell.ts';
import { marksInWords } from '../../client/part-marks.ts';
import { sanitize } from '../../client/sanitize.ts';
import { shortId } from '../../model/session.ts';
import type { Prompt, Subject } from '../state/decisions.ts';
import { restInWords } from '../state/outcomes.ts';
import type { State } from '../state/state.ts';
import type { Line } from '../terminal/line.ts';
import { lineWidth, span } from '../terminal/line.ts';
import { wrap } from '../terminal/text.ts';

const decisions = {
  propose: 'Proposing',
  approve: 'Approving',
  schedule: 'Approving for later',
  breakGlass: 'Approving past the policy',
  review: 'Recording the review',
  split: 'Splitting',
  reject: 'Rejecting',
  reopen: 'Giving back',
  revert: 'Staging the inverse',
} as const;

const edits = { resolve: 'Settling', unstage: 'Taking out' } as const;

/** Draws the prompt, the running action or the notice, in at least one and at most `most` lines. */
export function noticeLines(state: State, most: number): Line[] {
  const { prompt, notice, size } = state;
  if (prompt !== null) return [promptLine(state, prompt)];
  const doing = doingWords(state);
  if (doing !== null) return [[span(` ${doing} …`, 'strong')]];
  const standing = standingWords(state).map((text) => span(` ! ${text}`, 'alarm'));
  if (notice === null) return [[...standing, ...quietWords(state)]];
  const style = notice.alarm ? 'alarm' : 'accent';
  const text = span(` ${sanitize(notice.text)}`, style);
  if (lineWidth([...standing, text]) <= size.columns || most === 1) return [[...standing, text]];
  const lines = wrap(sanitize(notice.text), Math.max(10, size.columns - 2));
  const above = standing.length === 0 ? [] : [standing];
  return [...above, ...lines.map((part): Line => [span(` ${part}`, style)])].slice(0, most);
}

/** Returns the name of the running action; null if there is none. */
function doingWords({ commenting, deciding, edit, rehearsing }: State): string | null {
  if (commenting !== null) return 'Saying it';
  if (deciding !== null) return decisions[deciding.decision];
  if (edit !== null) return edits[edit.kind];
  return rehearsing === null ? null : 'Rehearsing the approval';
}

/** Returns the warnings that stay until their reason is gone, independent of keys. */
function standingWords({ offline, banner }: State): string[] {
  if (offline !== null)
    return [`Offline, trying again; this is what was there. ${sanitize(offline)}`];
  return banner === null ? [] : [banner];
}

const reasons = {
  reject: 'Reason (may be empty): ',
  reopen: 'What is to change: ',
  breakGlass: 'Why past the policy: ',
  review: 'What the review found (may be empty): ',
} as const;

/** Draws what is marked as a part, or where the rest of a session is. It stays until the marks or the session change. */
function quietWords({ part, session, keymap }: State): Line {
  if (part.size > 0) {
    const does = session?.status === 'active' ? 'split' : 'approve';
    const keys = `${keymap.keyFor(does)} ${does === 'split' ? 'splits them off' : 'approves them'} · ${keymap.keyFor('back')} clears`;
    return [span(` Marked: ${marksInWords(part)}. ${keys}`, 'accent')];
  }
  if (session === null || session.remaining === null) return [];
  return [span(` ${restInWords(session.remaining)}`, 'accent')];
}

function promptLine({ session }: State, prompt: Prompt): Line {
  const agree = `Type yes or ${shortId(session?.id ?? '')} to go on: `;
  const labels = {
    search: '/',
    goto: 'Go to table or row: ',
    sort: 'Sort by column (-name: descending; empty: order of the diff): ',
    time: 'When (2026-01-31T02:00:00Z, 2026-01-31 02:00 here, or window): ',
    confirm: agree,
    edit: agree,
    reason: prompt.kind === 'reason' ? reasons[prompt.decision] : '',
    comment: `Comment on ${prompt.kind === 'comment' ? subjectOf(prompt.about) : ''}: `,
  };
  return [
    span(` ${labels[prompt.kind]}`, 'strong'),
    span(sanitize(prompt.text)),
    span(' ', 'chosen'),
  ];
}

function subjectOf(about: Subject): string {
  return about === null
    ? 'the session'
    : `${tableCell(about.table)} ${keyCell(about.rowId)}`.slice(0, 40);
}
