/** The outcomes of decisions, in words. */
import type { Session } from '../../model/session.ts';
import type { Decision } from './decisions.ts';

/** Decisions that change the session itself. */
export type StateChange = Exclude<Decision, 'revert' | 'split'>;

const approved = 'Approved: the rows are in production.';

const outcomes: Readonly<Record<StateChange, string>> = {
  propose: 'Proposed: the session takes no more writes.',
  approve: approved,
  schedule: approved,
  breakGlass: approved,
  review: 'The review is recorded.',
  reject: 'Rejected: what was staged is gone, production is untouched.',
  reopen: 'Given back: the session accepts writes again, and its author reads what is to change.',
};

/** Returns the outcome. An approval that left the session proposed was recorded as a vote, or for a later time. */
export function outcomeOf(decision: StateChange, session: Session): string {
  const { status, applyAt, remaining, breakGlass } = session;
  if (decision === 'schedule' && status === 'proposed' && applyAt !== null)
    return `Approved for later: it is applied at ${applyAt}, unless it is rejected or given back before, or production has changed by then.`;
  if (decision === 'approve' && status === 'proposed') return voted;
  if (decision === 'approve' && remaining !== null)
    return `Approved: the marked rows are in production. ${restInWords(remaining)}`;
  if (decision === 'breakGlass' && breakGlass !== null)
    return 'Approved past the policy: the rows are in production. Somebody else has to review that.';
  return outcomes[decision];
}

const voted = 'Your approval is recorded. Others have to agree, too: production is untouched.';

/** Names the session with the rest of one of which a part was approved, and the command that shows it. */
export const restInWords = (id: string) =>
  `The rest is active, in a session of its own: stage diff ${id}`;
