/** The actions on a session. Each one asks first, and then calls the REST interface. */
/// <reference lib="dom" />

import { nameCell, tableCell } from '../client/cell.ts';
import { readSession } from '../client/decode.ts';
import { Fields } from '../client/fields.ts';
import { approvalsInWords, readApprovals } from '../client/policy.ts';
import type { RehearsalReport } from '../client/rehearsal.ts';
import { readRehearsal } from '../client/rehearsal.ts';
import { rehearsalInWords } from '../client/rehearsal-words.ts';
import { countsInWords } from '../client/words.ts';
import type { Outline } from '../model/change.ts';
import { stepCountsOf } from '../model/change.ts';
import type { Comment } from '../model/event.ts';
import type { Approvals, SessionPolicy } from '../model/policy.ts';
import type { Session } from '../model/session.ts';
import { sessionStatuses, shortId } from '../model/session.ts';
import { askFor, field } from './dialogs.ts';
import { h } from './dom.ts';
import { request } from './http.ts';

/** What the page knows of a session. */
export interface Known {
  readonly session: Session;
  /** Digest of the diff on display; null if it is not loaded, or the session has changed since. */
  readonly digest: string | null;
  readonly outline: Outline | null;
  readonly conflicts: number | null;
  readonly rehearsal: RehearsalReport | null;
  readonly comments: readonly Comment[];
  /** What the policy says about it, with the votes; null if that is not known. */
  readonly policy: SessionPolicy | null;
  /** Names of the operations that the caller is allowed. */
  readonly operations: ReadonlySet<string>;
  /** The caller's name; null if no token is required. */
  readonly name: string | null;
}

export interface Action {
  readonly name: string;
  readonly label: string;
  readonly key: string;
  readonly look: 'main' | 'grave' | '';
  /** Why the action is disabled; null if it is enabled. */
  readonly hindrance: string | null;
  readonly run: () => void;
}

interface Definition extends Omit<Action, 'hindrance' | 'run'> {
  /** Name of the operation of the REST interface. */
  readonly operation: string;
  readonly statuses: readonly Session['status'][];
  readonly hindrance?: (known: Known) => string | null;
  readonly run: (known: Known, post: Post, after: After) => void;
}

export type After = (report?: RehearsalReport, said?: string) => void;

const definitions: readonly Definition[] = [
  {
    ...{ name: 'approve', operation: 'approveSession', statuses: ['proposed'] },
    ...{ label: 'Approve…', key: 'A', look: 'main', hindrance: hindranceOf },
    run: askToApprove,
  },
  {
    ...{ name: 'propose', operation: 'proposeSession', statuses: ['active'] },
    ...{ label: 'Propose…', key: 'P', look: 'main' },
    run: (_, post, after) =>
      askText('Propose this session', 'Message to the reviewer', 'Propose', '', async (message) => {
        await post('propose', message === '' ? {} : { message });
        after();
      }),
  },
  {
    ...{ name: 'changes', operation: 'reopenSession', statuses: ['proposed'] },
    ...{ label: 'Request changes…', key: 'C', look: '' },
    run: (_, post, after) =>
      askText(
        'Give it back for changes',
        'What is to be changed',
        'Request changes',
        'needed',
        async (message) => {
          await post('reopen', { message });
          after();
        },
      ),
  },
  {
    ...{ name: 'rehearse', operation: 'rehearseSession', statuses: ['active', 'proposed'] },
    ...{ label: 'Rehearse', key: 'e', look: '' },
    run: (_, post, after) => askToRehearse(post, after),
  },
  {
    ...{ name: 'reject', operation: 'rejectSession', statuses: ['proposed'] },
    ...{ label: 'Reject…', key: 'X', look: 'grave' },
    run: (_, post, after) =>
      askText('Reject this session', 'Reason', 'Reject and discard', 'grave', async (reason) => {
        await post('reject', reason === '' ? {} : { reason });
        after();
      }),
  },
  {
    ...{ name: 'revert', operation: 'revertSession', statuses: ['approved'] },
    ...{ label: 'Take it back…', key: 'U', look: '' },
    run: (_, post) => askToRevert(post),
  },
  {
    ...{ name: 'comment', operation: 'addComment', statuses: sessionStatuses },
    ...{ label: 'Comment…', key: 'M', look: '' },
    run: (_, post, after) =>
      askText('Comment on this session', 'Comment', 'Comment', 'needed', async (body) => {
        await post('comments', { body });
        after();
      }),
  },
];

/**
 * Returns the actions that the session's status and the caller's rights allow.
 * @param after called after each action
 * @param refused called with the error of an action that failed
 */
export function actionsFor(
  known: Known,
  after: After,
  refused: (error: unknown) => void,
): Action[] {
  const { session, operations } = known;
  const post: Post = (path, body = {}) =>
    request('POST', `/sessions/${session.id}/${path}`, body).catch((error: unknown) => {
      refused(error);
      throw error;
    });
  return definitions
    .filter((each) => operations.has(each.operation) && each.statuses.includes(session.status))
    .map(({ hindrance, run, ...action }) => ({
      ...action,
      hindrance: hindrance?.(known) ?? null,
      run: () => run(known, post, after),
    }));
}

type Post = (path: string, body?: Readonly<Record<string, unknown>>) => ReturnType<typeof request>;

function hindranceOf({ digest, conflicts }: Known): string | null {
  if (digest === null) return 'The diff is not read to its end yet, or has changed since.';
  if (conflicts === null) return 'Conflicts are being looked for.';
  return conflicts > 0 ? 'Production has changed: see the conflicts.' : null;
}

/** Says that an approval counts as one of several. */
const voteInWords = (votes: Approvals) =>
  `Your approval is recorded, and nothing is applied yet: ${approvalsInWords(votes)}.`;

function askToApprove(known: Known, post: Post, after: After): void {
  const { session, digest, outline, rehearsal, name } = known;
  const code = shortId(session.id).slice(0, 4);
  const typed = h('input', { autocomplete: 'off', spellcheck: 'false', name: 'typed' });
  const by = h('input', { name: 'by', autocomplete: 'name' });
  const counts = countsInWords(stepCountsOf(outline?.tables ?? []));
  const isRehearsed = rehearsal !== null && rehearsal.digest === digest;
  askFor({
    title: 'Apply to production?',
    body: [
      h('p', {}, `${counts} in ${outline?.tables.length ?? 0} tables, in one transaction.`),
      h('p', {}, isRehearsed ? rehearsalInWords(rehearsal) : 'Not rehearsed.'),
      h('p', { class: 'digest' }, digest),
      name === null ? field('Your name, for the audit', by) : h('p', {}, `As ${nameCell(name)}.`),
      field(`Type ${code} to approve`, typed),
    ],
    act: 'Approve',
    isReady: () => typed.value.trim() === code,
    do: async () => {
      const approvedBy = by.value.trim();
      const named = approvedBy === '' ? {} : { approved_by: approvedBy };
      const votes = readApprovals(await post('approve', { digest, ...named }));
      after(undefined, votes === null ? undefined : voteInWords(votes));
    },
  });
}

function askToRehearse(post: Post, after: (report: RehearsalReport) => void): void {
  askFor({
    title: 'Rehearse the approval?',
    body: [
      h(
        'p',
        {},
        'Production applies everything, with its triggers, and rolls it back. Rows stay locked meanwhile.',
      ),
    ],
    act: 'Rehearse',
    do: async () => after(readRehearsal(await post('rehearse'))),
  });
}

function askToRevert(post: Post): void {
  const skip = h('input', { type: 'checkbox', name: 'skip' });
  askFor({
    title: 'Take this session back?',
    body: [
      h('p', {}, 'A new session stages the exact inverse. It is reviewed like any other.'),
      h('label', { class: 'check' }, skip, 'Leave out rows that have changed since'),
    ],
    act: 'Stage the inverse',
    do: async () => {
      const made = readSession(await post('revert', { skip_changed: skip.checked }));
      location.assign(`/review/${made.id}`);
    },
  });
}

/** Opens a dialog with one text field. */
function askText(
  title: string,
  label: string,
  act: string,
  how: '' | 'needed' | 'grave',
  work: (text: string) => Promise<void>,
): void {
  const text = h('textarea', { rows: '4', maxlength: '2000', name: 'text' });
  askFor({
    ...{ title, act, body: [field(label, text)], isGrave: how === 'grave' },
    isReady: () => how !== 'needed' || text.value.trim() !== '',
    do: () => work(text.value.trim()),
  });
}

/** Opens the dialog for a comment on a row. */
export function commentOn(id: string, table: string, rowId: string, after: () => void): void {
  askText(`Comment on ${tableCell(table)}`, 'Comment', 'Comment', 'needed', async (body) => {
    const payload = JSON.stringify({ body, table });
    // the original text of the key: it may have more digits than a JavaScript number
    await request('POST', `/sessions/${id}/comments`, `${payload.slice(0, -1)},"row_id":${rowId}}`);
    after();
  });
}

/** Reads the digest of the current diff. */
export async function readDigest(id: string): Promise<string> {
  return new Fields(await request('GET', `/sessions/${id}/diff?limit=0`)).required('digest');
}
