/** Other ways to approve: for a later time, and past the policy; and the review of the latter. */
import { momentIn } from '../../client/moments.ts';
import type { Plan, Prompt } from './decisions.ts';
import { withAlarm } from './direct-actions.ts';
import { openPrompt } from './open-prompts.ts';
import type { State } from './state.ts';

/** Asks when an approval is applied. */
export const promptForTime = (state: State): State =>
  forWhole(state, 'later', openPrompt({ kind: 'time', text: '' }));

/** Asks why an approval goes past the policy. */
export const promptForReason = (state: State): State =>
  forWhole(
    state,
    'past the policy',
    openPrompt({ kind: 'reason', decision: 'breakGlass', text: '' }),
  );

/** Opens a prompt about the whole session, which must be proposed. */
function forWhole(state: State, how: string, open: (state: State) => State): State {
  const status = state.session?.status;
  if (status !== 'proposed')
    return withAlarm(state, `The session is ${status}: one that is proposed is approved ${how}.`);
  if (state.part.size === 0) return open(state);
  const { keymap } = state;
  const text = `A part is approved at once, by ${keymap.keyFor('approve')}; ${keymap.keyFor('back')} clears its marks, and then the whole is approved ${how}.`;
  return withAlarm(state, text);
}

/** Asks what the review of an approval past the policy found. */
export function promptForReview(state: State): State {
  const { session } = state;
  if (session?.reviewDue === true)
    return openPrompt({ kind: 'reason', decision: 'review', text: '' })(state);
  if (session?.reviewDue === false)
    return withAlarm(state, `${session.reviewedAs ?? 'Somebody'} has reviewed it already.`);
  return withAlarm(state, 'Only an approval that went past the policy is reviewed afterwards.');
}

/** Handles the time that was typed. */
export function timed(state: State, text: string): State {
  if (text.trim() === '') return { ...state, notice: { text: 'Nothing was done.', alarm: false } };
  const at = momentIn(text);
  if (at === null)
    return withAlarm(
      state,
      'That is no time: write 2026-01-31T02:00:00Z, 2026-01-31 02:00, or window.',
    );
  return confirm(state, 'schedule', { reason: '', at });
}

/** Handles the reason that was typed: an approval past the policy needs one. */
export function reasoned(state: State, { decision, text }: Prompt & { kind: 'reason' }): State {
  if (decision === 'breakGlass' && text.trim() === '')
    return withAlarm(state, 'Nothing was done: it takes a reason, which everybody will read.');
  return confirm(state, decision, { reason: text.trim() });
}

const confirm = (
  state: State,
  decision: (Prompt & { kind: 'confirm' })['decision'],
  plan: Plan,
): State => openPrompt({ kind: 'confirm', decision, plan, text: '' })(state);
