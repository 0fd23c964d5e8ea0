/** Actions without a confirmation: resolving conflicts, starting and cancelling rehearsals. */
import type { Side } from '../../client/edits.ts';
import { hiddenInWords } from '../../client/words.ts';
import { isAllowed } from './permissions.ts';
import type { State } from './state.ts';

/** Reports why nothing was done. */
export const withAlarm = (state: State, text: string): State => ({
  ...state,
  notice: { text, alarm: true },
});

/** Returns why staged rows cannot be changed now; null if they can. */
export function notActive({ session, keymap, caller }: State): string | null {
  const status = session?.status;
  if (status === 'active') return null;
  if (status !== 'proposed') return `The session is ${status}: what it staged stays as it is.`;
  if (!isAllowed(caller, 'reopen')) return 'The session is proposed: it takes no edits.';
  const key = keymap.keyFor('reopen') || '`stage reopen`';
  return `The session is proposed: ${key} gives it back for changes first.`;
}

/** Resolves the selected conflict in favour of one side. */
export const take =
  (side: Side) =>
  (state: State): State => {
    if (state.pane !== 'conflicts')
      return withAlarm(state, 'Choose a conflict to settle: in Conflicts.');
    const conflict = state.conflicts?.[state.conflict];
    if (conflict === undefined) return withAlarm(state, 'There is no conflict to settle.');
    const why = notActive(state) ?? (conflict.hidden ? `It is ${hiddenInWords}.` : null);
    if (why !== null) return withAlarm(state, why);
    // the next conflict has to be seen before it is resolved
    // guard: the review settles one conflict at a time
    if (state.edit !== null) return state;
    return { ...state, edit: { kind: 'resolve', conflict, take: side, withDependents: false } };
  };

/** Starts a rehearsal, and shows the pane of its result. */
export function rehearse(state: State): State {
  const status = state.session?.status;
  if (status === 'approved' || status === 'rejected')
    return withAlarm(state, `The session is ${status} already: there is nothing to rehearse.`);
  const shown: State = { ...state, pane: 'effects', effectsTop: 0 };
  return state.rehearsing === null ? { ...shown, rehearsing: {} } : shown;
}

/** Stops waiting for a rehearsal. */
export function cancelled(state: State): State {
  const text = 'Not waited for any longer: the service rolls it back in any case.';
  return { ...state, pane: 'rows', rehearsing: null, notice: { text, alarm: false } };
}
