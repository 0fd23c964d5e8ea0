/** Determines which commands the caller may carry out. The service decides in any case: this spares a request that it would refuse. */
import type { CallerReport } from '../../model/service.ts';
import type { Command, Effect } from '../keys.ts';

/** The operations of the REST interface behind commands, and what each command does, in words. */
const operations: Partial<Record<Command | Effect, readonly [operation: string, words: string]>> = {
  propose: ['proposeSession', 'propose'],
  approve: ['approveSession', 'approve'],
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
  const [operation, words] = operations[does] ?? [];
  if (operation === undefined || !caller?.operations) return null;
  if (caller.operations.includes(operation)) return null;
  return `You may not ${words} here: your role is ${caller.role}.`;
}

export const isAllowed = (caller: CallerReport | null, does: Command | Effect) =>
  forbidden(caller, does) === null;
