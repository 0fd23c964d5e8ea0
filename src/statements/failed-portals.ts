/**
 * Tracks the portals of a failed transaction. PostgreSQL keeps them until it ends, and refuses to run them. Releasing the transaction's
 * locks destroys them. So the proxy first queries the server's response for each.
 */
import { hiddenClose, PendingResponse, passing } from '../server-connection/pending-response.ts';
import { step, stepMessages } from '../server-connection/step-messages.ts';
import type { ControlAction } from '../sql/verdict.ts';
import type { ErrorFields } from '../wire/error-fields.ts';
import { describeMessage } from '../wire/frontend-messages.ts';
import type { ConnectionContext } from './connection-context.ts';
import { inFailedTransaction } from './read-only-write.ts';

/** Queries the portals of the client's failed transaction, before they are destroyed. */
export function learnPortals({ portals, inFailure, link }: ConnectionContext): void {
  for (const [name] of portals.all()) {
    const onDone = () => inFailure.set(name, 'nothing');
    const onError = (fields: ErrorFields) => {
      if (fields.get('C') === inFailedTransaction.sqlstate) inFailure.set(name, 'refused');
      return null;
    };
    const expected = new PendingResponse('describe', 'nothing', { onDone, onError });
    link.send(describeMessage({ kind: 'portal', name }), expected);
    link.close();
  }
}

/** Notes the failure of a ROLLBACK TO SAVEPOINT in a Query, which has run in the unnamed portal. */
export function noteFailure(
  { portals, inFailure }: ConnectionContext,
  { type }: ControlAction,
): void {
  if (type !== 'rollback to') return;
  portals.delete('');
  inFailure.set('', 'nothing');
}

/**
 * Refuses a portal that has been destroyed. Call it before a portal runs.
 * @throws StageError when its failed transaction has lost it
 */
export function refuseInFailure({ inFailure }: ConnectionContext, name: string): void {
  // guard: a portal of a failed transaction is known to its end
  if (inFailure.get(name) !== undefined) throw inFailedTransaction;
}

/**
 * Describes a portal that a failed transaction has lost. Returns whether it is such a portal.
 * @throws StageError for one that returns rows
 */
export function describeInFailure(context: ConnectionContext, name: string): boolean {
  const { inFailure, internal, link, retry } = context;
  const answer = inFailure.get(name);
  if (answer === 'refused') throw inFailedTransaction;
  if (answer === undefined) return false;
  // ROLLBACK returns no rows either, and can be bound in a failed transaction
  internal.prepare(step, { text: 'ROLLBACK' }, () => null);
  link.send(stepMessages.bind, new PendingResponse('bind', 'nothing'));
  link.send(stepMessages.describePortal, retry.track(passing.describe));
  link.send(stepMessages.closePortal, hiddenClose);
  return true;
}
