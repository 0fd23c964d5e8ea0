/** What is done at a key, without being asked about: conflicts settled, rehearsals begun and given up. */
import type { Side } from '../../client/resolve.ts';
import { hiddenInWords } from '../../client/words.ts';
import type { State } from './state.ts';

/** Says why nothing was done. */
export const told = (state: State, text: string): State => ({
  ...state,
  notice: { text, alarm: true },
});

/** Why what is staged cannot be changed as things are; null where it can. */
export function notActive({ session, keymap }: State): string | null {
  const status = session?.status;
  if (status === 'active') return null;
  if (status !== 'proposed') return `The session is ${status}: what it staged stays as it is.`;
  const key = keymap.keyFor('reopen') || '`stage reopen`';
  return `The session is proposed: ${key} gives it back for changes first.`;
}

/** Lets one side of the chosen conflict stand. */
export const take =
  (side: Side) =>
  (state: State): State => {
    if (state.pane !== 'conflicts')
      return told(state, 'Choose a conflict to settle: in Conflicts.');
    const conflict = state.conflicts?.[state.conflict];
    if (conflict === undefined) return told(state, 'There is no conflict to settle.');
    const why = notActive(state) ?? (conflict.hidden ? `It is ${hiddenInWords}.` : null);
    if (why !== null) return told(state, why);
    // what comes next is to be seen before it is settled
    // guard: the review settles one conflict at a time
    if (state.edit !== null) return state;
    return { ...state, edit: { kind: 'resolve', conflict, take: side, withDependents: false } };
  };

/** Begins a rehearsal, and shows where its outcome will be. */
export function rehearse(state: State): State {
  const status = state.session?.status;
  if (status === 'approved' || status === 'rejected')
    return told(state, `The session is ${status} already: there is nothing to rehearse.`);
  const shown: State = { ...state, pane: 'effects', effectsTop: 0 };
  return state.rehearsing === null ? { ...shown, rehearsing: {} } : shown;
}

/** Waits no longer for a rehearsal. */
export function cancelled(state: State): State {
  const text = 'Not waited for any longer: the service rolls it back in any case.';
  return { ...state, pane: 'rows', rehearsing: null, notice: { text, alarm: false } };
}
