/** The dialogs of approvals: of the whole, of a part, for later, past the policy, and the review of the latter. */
/// <reference lib="dom" />
import { nameCell, textCell } from '../client/cell.ts';
import { readSession } from '../client/decode.ts';
import { momentIn, momentInWords } from '../client/moments.ts';
import { choicesOf, markedCount, marksInWords } from '../client/part-marks.ts';
import { approvalsInWords, readApprovals } from '../client/policy.ts';
import { rehearsalInWords } from '../client/rehearsal-words.ts';
import { partBody, readSplit, splitOffInWords } from '../client/split.ts';
import { countsInWords } from '../client/words.ts';
import { stepCountsOf } from '../model/change.ts';
import type { JsonObject, JsonText } from '../model/json.ts';
import { shortId } from '../model/session.ts';
import { askFor, field } from './dialogs.ts';
import type { Child } from './dom.ts';
import { counted, h } from './dom.ts';
import type { After, Known, Post } from './known.ts';
import { linkTo } from './session-head.ts';
import { askWithTies } from './ties.ts';

/** Draws the fields of every approval: what is approved, by whom, and the code to type. */
function fieldsOf({ session, digest, rehearsal, name }: Known) {
  const code = shortId(session.id).slice(0, 4);
  const typed = h('input', { autocomplete: 'off', spellcheck: 'false', name: 'typed' });
  const by = h('input', { name: 'by', autocomplete: 'name' });
  const isRehearsed = rehearsal !== null && rehearsal.digest === digest;
  const { applyAt, scheduledAs } = session;
  const before = scheduledAs === null ? '' : ` by ${textCell(scheduledAs)}`;
  const children: Child[] = [
    applyAt &&
      h(
        'p',
        { class: 'banner alarm' },
        `This replaces the approval${before} that is applied at ${applyAt}.`,
      ),
    h('p', {}, isRehearsed ? rehearsalInWords(rehearsal) : 'Not rehearsed.'),
    h('p', { class: 'digest' }, digest),
    name === null ? field('Your name, for the audit', by) : h('p', {}, `As ${nameCell(name)}.`),
    field(`Type ${code} to approve`, typed),
  ];
  return {
    children,
    isTyped: () => typed.value.trim() === code,
    /** The members of the request. */
    facts: (): JsonObject => {
      const approvedBy = by.value.trim();
      return { digest, ...(approvedBy === '' ? {} : { approved_by: approvedBy }) };
    },
  };
}

const sizeOf = ({ outline }: Known) =>
  `${countsInWords(stepCountsOf(outline?.tables ?? []))} in ${counted(outline?.tables.length ?? 0, 'table')}`;

/** Returns the outcome of an approval; undefined if it is applied as a whole. */
function outcomeOf(answer: JsonText): readonly Child[] | undefined {
  const votes = readApprovals(answer);
  if (votes !== null)
    return [`Your approval is recorded, and nothing is applied yet: ${approvalsInWords(votes)}.`];
  const { applyAt, remaining } = readSession(answer);
  if (applyAt !== null)
    return [
      `Approved for later: it is applied at ${applyAt}, unless it is rejected or given back before, or production has changed by then.`,
    ];
  if (remaining === null) return undefined;
  return ['The marked rows are in production. ', linkTo('The rest is active, in ', remaining)];
}

/** Asks before an approval; with marks, before that of the marked part. */
export function askToApprove(known: Known, post: Post, after: After): void {
  if (known.part.size > 0) askForPart(known, post, after);
  else askForWhole(known, post, after);
}

function askForWhole(known: Known, post: Post, after: After): void {
  const { children, isTyped, facts } = fieldsOf(known);
  askFor({
    title: 'Apply to production?',
    body: [h('p', {}, `${sizeOf(known)}, in one transaction.`), ...children],
    act: 'Approve',
    isReady: isTyped,
    do: async () => after(undefined, outcomeOf(await post('approve', facts()))),
  });
}

/** Returns the first sentence of a question about a part. */
function partInWords({ part, outline }: Known): Child[] {
  const count = markedCount(part, outline?.tables ?? []).toLocaleString('en-US');
  return [h('p', {}, h('b', {}, marksInWords(part)), `: ${count} in total.`)];
}

function askForPart(known: Known, post: Post, after: After): void {
  const { children, isTyped, facts } = fieldsOf(known);
  // guard: the page approves the marked rows alone
  const rows = choicesOf(known.part);
  askWithTies({
    named: 'These are tied to what is marked:',
    title: 'Apply the marked part to production?',
    body: [
      ...partInWords(known),
      h('p', {}, 'The rest goes to an active session of its own, to be decided on there.'),
      ...children,
    ],
    act: 'Approve the part',
    isReady: isTyped,
    send: async (withTies) =>
      after(
        undefined,
        outcomeOf(await post('approve', { ...facts(), ...partBody({ rows, withTies }) })),
      ),
  });
}

/** Asks before the marked part of an active session is moved to one of its own. */
export function askToSplit(known: Known, post: Post, after: After): void {
  const rows = choicesOf(known.part);
  askWithTies({
    named: 'These are tied to what is marked:',
    title: 'Split the marked part off?',
    body: [
      ...partInWords(known),
      h('p', {}, 'They go to a session of their own, with the same authors. The rest stays here.'),
    ],
    act: 'Split off',
    send: async (withTies) => {
      const report = readSplit(await post('split', partBody({ rows, withTies })));
      after(undefined, [`${splitOffInWords(report)} `, linkTo('They are in ', report.session.id)]);
    },
  });
}

/** Asks when an approval is applied. */
export function askForLater(known: Known, post: Post, after: After): void {
  const { children, isTyped, facts } = fieldsOf(known);
  const time = h('input', { type: 'datetime-local', name: 'time' });
  const window = h('input', { type: 'checkbox', name: 'window' });
  const said = h('p', { class: 'dim', 'aria-live': 'polite' });
  const hasWindows = known.policy?.verdicts.some(({ limit }) => limit === 'windows') === true;
  const at = () => (window.checked ? 'window' : momentIn(time.value));
  askFor({
    title: 'Approve now, apply later?',
    body: [
      h(
        'p',
        {},
        `${sizeOf(known)}. It is checked again when it is applied. Rejecting it or giving it back before cancels that.`,
      ),
      field('When, by the clock of this device', time),
      hasWindows
        ? h('label', { class: 'check' }, window, 'As soon as the windows of the policy are open')
        : null,
      said,
      ...children,
    ],
    act: 'Approve for later',
    isReady: () => {
      const moment = at();
      time.disabled = window.checked;
      const words = moment === null ? '' : `It is applied ${momentInWords(moment)}.`;
      if (said.textContent !== words) said.textContent = words;
      return moment !== null && isTyped();
    },
    do: async () => after(undefined, outcomeOf(await post('approve', { ...facts(), at: at() }))),
  });
}

const warning =
  'This goes past the policy: nobody else agrees, and windows do not count. Your name and the reason are sealed in the audit, and the session is marked until somebody else has reviewed it.';

/** Asks why an approval goes past the policy. */
export function askPastPolicy(known: Known, post: Post, after: After): void {
  const { children, isTyped, facts } = fieldsOf(known);
  const reason = h('textarea', { rows: '3', maxlength: '2000', name: 'reason' });
  askFor({
    title: 'Apply to production past the policy?',
    body: [
      h('p', { class: 'banner alarm' }, warning),
      h('p', {}, `${sizeOf(known)}, in one transaction.`),
      field('Reason, which everybody reads', reason),
      ...children,
    ],
    act: 'Approve past the policy',
    isGrave: true,
    isReady: () => reason.value.trim() !== '' && isTyped(),
    do: async () => {
      await post('approve', { ...facts(), break_glass: reason.value.trim() });
      after();
    },
  });
}

/** Asks what the review of an approval past the policy found. */
export function askForReview({ session }: Known, post: Post, after: After): void {
  const text = h('textarea', { rows: '3', maxlength: '2000', name: 'text' });
  const by = textCell(session.approvedAs ?? session.approvedBy ?? 'Somebody');
  askFor({
    title: 'Review this approval?',
    body: [
      h('p', {}, `${by} approved it past the policy: ${session.breakGlass ?? ''}`),
      h('p', {}, 'It is applied already: the review records that somebody else has read it.'),
      field('What the review found (may be empty)', text),
    ],
    act: 'Record the review',
    do: async () => {
      const message = text.value.trim();
      await post('review', message === '' ? {} : { message });
      after(undefined, ['The review is recorded.']);
    },
  });
}
