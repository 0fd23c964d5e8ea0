/** Determines which commands the caller may carry out. The service decides in any case: this spares a request that it would refuse. */
import type { CallerReport } from '../../model/service.ts';
import type { Command, Effect } from '../keys.ts';

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

/** Returns why the caller may not carry out a command; null if it may, and as long as its permissions are not known. */
export function forbidden(caller: CallerReport | null, does: Command | Effect): string | null {
  const [anyOf, words] = operations[does] ?? [];
  if (anyOf === undefined || !caller?.operations) return null;
  if (anyOf.split(' ').some((name) => caller.operations?.includes(name))) return null;
  return `You may not ${words} here: your role is ${caller.role}.`;
}

export const isAllowed = (caller: CallerReport | null, does: Command | Effect) =>
  forbidden(caller, does) === null;
