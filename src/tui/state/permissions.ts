/** Determines which commands the caller may carry out. The service decides in any case: this spares a request that it would refuse. */
import { personOf } from '../../model/access.ts';
import type { CallerReport } from '../../model/service.ts';
import type { Command, Effect } from '../keys.ts';
import type { State } from './state.ts';
import { currentPolicy } from './state.ts';

/** The operations of the REST interface behind commands, one of which suffices, and what each command does, in words. */
const operations: Partial<Record<Command | Effect, readonly [anyOf: string, words: string]>> = {
  propose: ['proposeSession', 'propose'],
  approve: ['approveSession', 'approve'],
  schedule: ['approveSession', 'approve'],
  breakGlass: ['approveSession', 'approve'],
  review: ['reviewSession', 'review an approval'],
  split: ['splitSession', 'split'],
  markPart: ['approveSession splitSession', 'choose a part'],
  markTable: ['approveSession splitSession', 'choose a part'],
  reject: ['rejectSession', 'reject'],
  reopen: ['reopenSession', 'give a session back'],
  revert: ['revertSession', 'take an approval back'],
  mine: ['resolveConflicts', 'settle conflicts'],
  theirs: ['resolveConflicts', 'settle conflicts'],
  unstage: ['unstageRows', 'take rows out'],
  rehearse: ['rehearseSession', 'rehearse'],
  comment: ['addComment', 'comment'],
};

/** Returns why the caller may not carry out a command; null if it may, and while its permissions are unknown. */
export function forbidden(caller: CallerReport | null, does: Command | Effect): string | null {
  const [anyOf, words] = operations[does] ?? [];
  if (anyOf === undefined || !caller?.operations) return null;
  if (anyOf.split(' ').some((name) => caller.operations?.includes(name))) return null;
  return `You may not ${words} here: your role is ${caller.role}.`;
}

export const isAllowed = (caller: CallerReport | null, does: Command | Effect) =>
  forbidden(caller, does) === null;

/** Returns why a command is not carried out in the session that is shown; null if it is, and while that is unknown. */
export const refusal = (state: State, does: Command | Effect) =>
  forbidden(state.caller, does) ?? (does === 'breakGlass' ? notPast(state) : null);

/** Returns whether a command is offered to the caller, in the session that is shown. */
export const isOffered = (state: State, does: Command | Effect) => refusal(state, does) === null;

/** Returns why the caller may not approve past the policy; null if a rule in force names the caller. */
function notPast(state: State): string | null {
  const { caller } = state;
  const policy = currentPolicy(state);
  if (caller === null || policy === null) return null;
  const { name } = caller;
  const people = policy.breakGlass ?? [];
  // guard: the review offers a way past the policy to those alone whom a rule names
  if (name !== null && people.some((who) => personOf(who) === personOf(name))) return null;
  return 'No rule that holds for the session names you as somebody who may go past it.';
}
