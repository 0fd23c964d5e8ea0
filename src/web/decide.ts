/** The actions on a session. Each one asks first, and then calls the REST interface. */
/// <reference lib="dom" />

import { tableCell } from '../client/cell.ts';
import { readSession } from '../client/decode.ts';
import { Fields } from '../client/fields.ts';
import type { RehearsalReport } from '../client/rehearsal.ts';
import { readRehearsal } from '../client/rehearsal.ts';
import { personOf } from '../model/access.ts';
import { stringifyJson } from '../model/json.ts';
import type { Session } from '../model/session.ts';
import { sessionStatuses } from '../model/session.ts';
import { askForLater, askForReview, askPastPolicy, askToApprove, askToSplit } from './approvals.ts';
import { askFor, field } from './dialogs.ts';
import { h } from './dom.ts';
import { request } from './http.ts';
import type { After, Known, Post } from './known.ts';

export interface Action {
  readonly name: string;
  readonly label: string;
  readonly key: string;
  readonly look: 'main' | 'grave' | '';
  /** Why the action is disabled; null if it is enabled. */
  readonly hindrance: string | null;
  readonly run: () => void;
}

interface Definition extends Omit<Action, 'hindrance' | 'run' | 'label'> {
  readonly label: string | ((known: Known) => string);
  /** Whether it is offered, besides the caller's rights and the session's status. */
  readonly isOffered?: (known: Known) => boolean;
  /** Name of the operation of the REST interface. */
  readonly operation: string;
  readonly statuses: readonly Session['status'][];
  readonly hindrance?: (known: Known) => string | null;
  readonly run: (known: Known, post: Post, after: After) => void;
}

const definitions: readonly Definition[] = [
  {
    ...{ name: 'approve', operation: 'approveSession', statuses: ['proposed'] },
    ...{ key: 'A', look: 'main', hindrance: hindranceOf },
    label: ({ part }) => (part.size > 0 ? 'Approve the marked…' : 'Approve…'),
    run: askToApprove,
  },
  {
    ...{ name: 'split', operation: 'splitSession', statuses: ['active'] },
    ...{ label: 'Split off the marked…', key: 'D', look: 'main' },
    isOffered: ({ part }) => part.size > 0,
    run: askToSplit,
  },
  {
    ...{ name: 'review', operation: 'reviewSession', statuses: ['approved'] },
    ...{ label: 'Review it…', key: 'V', look: 'main' },
    isOffered: ({ session }) => session.reviewDue === true,
    hindrance: ({ session, name }) =>
      isNamed(name, [session.approvedAs])
        ? 'Whoever went past the policy does not review that.'
        : null,
    run: askForReview,
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
    ...{ key: 'C', look: '' },
    label: ({ session }) =>
      session.applyAt === null ? 'Request changes…' : 'Cancel, request changes…',
    run: ({ session }, post, after) =>
      askText(
        session.applyAt === null
          ? 'Give it back for changes'
          : 'Cancel the scheduled approval, and give it back',
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
    ...{ name: 'later', operation: 'approveSession', statuses: ['proposed'] },
    ...{ label: 'Approve later…', key: 'W', look: '', hindrance: hindranceOfWhole },
    run: askForLater,
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
    ...{ name: 'glass', operation: 'approveSession', statuses: ['proposed'] },
    ...{ label: 'Past the policy…', key: '!', look: 'grave', hindrance: hindranceOfWhole },
    isOffered: ({ policy, name }) => isNamed(name, policy?.breakGlass ?? []),
    run: askPastPolicy,
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
    request('POST', `/sessions/${session.id}/${path}`, stringifyJson(body)).catch(
      (error: unknown) => {
        refused(error);
        throw error;
      },
    );
  return definitions
    .filter((each) => operations.has(each.operation) && each.statuses.includes(session.status))
    .filter(({ isOffered }) => isOffered?.(known) ?? true)
    .map(({ hindrance, run, label, isOffered: _, ...action }) => ({
      ...action,
      label: typeof label === 'string' ? label : label(known),
      hindrance: hindrance?.(known) ?? null,
      run: () => run(known, post, after),
    }));
}

/** Returns whether somebody is among those of a list: a person is a name, in upper or lower case. */
const isNamed = (name: string | null, people: readonly (string | null)[]) =>
  name !== null && people.some((each) => each !== null && personOf(each) === personOf(name));

/** Returns why the session cannot be approved as a whole, for later or past the policy. */
function hindranceOfWhole(known: Known): string | null {
  if (known.part.size > 0) return 'A part is approved at once: clear the marks first.';
  return hindranceOf(known);
}

function hindranceOf({ digest, conflicts, part }: Known): string | null {
  if (digest === null) return 'The diff is not read to its end yet, or has changed since.';
  // the service checks conflicts of the part alone
  if (part.size > 0) return null;
  if (conflicts === null) return 'Conflicts are being checked.';
  return conflicts > 0 ? 'Production has changed: see the conflicts.' : null;
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
