/** Restores the client's portals when a batch is tried again: the rollback has destroyed them. */
import { StageError } from '../errors.ts';
import { hiddenClose } from '../server-connection/pending-response.ts';
import type { PreparedStatement } from '../server-connection/prepared-statements.ts';
import { forgetTypes } from '../server-connection/prepared-statements.ts';
import { internalPrefix } from '../server-connection/reserved-names.ts';
import type { Message } from '../wire/framer.ts';
import { closeMessage, decodeBind, rebindMessage } from '../wire/frontend-messages.ts';
import type { ConnectionContext } from './connection-context.ts';
import { bind, bindKnown } from './extended-bind.ts';
import { prepareUnder } from './shared-steps.ts';

const restoredName = `${internalPrefix}restored`;

/** The type and the length of a message. */
const headerBytes = 5;

/**
 * Handles again a Bind that the client knows to have succeeded, of a statement that may have been closed since, or lost its name to another.
 * @throws StageError for a refused statement, and for one of SQL that has no name any more
 */
export function restorePortal(
  context: ConnectionContext,
  message: Message,
  bound: PreparedStatement,
): void | Promise<void> {
  const { retry, statements } = context;
  if (statements.get(bound.name) === bound) {
    retry.buffer(message);
    return bind(context, message);
  }
  // one of SQL can only be prepared under its name
  if (bound.origin === 'sql') throw lostStatement;
  const former = { ...bound, name: restoredName };
  forgetTypes(former);
  return restoreFormer(context, message, former);
}

/** Binds a portal to a statement that is prepared for that under an internal name. */
async function restoreFormer(
  context: ConnectionContext,
  { type, payload }: Message,
  statement: PreparedStatement,
): Promise<void> {
  const { retry, link } = context;
  const { portal } = decodeBind(payload);
  const frame = rebindMessage(payload, restoredName);
  const message = { type, frame, payload: frame.subarray(headerBytes) };
  retry.buffer(message);
  if (statement.body.kind !== 'write') prepareUnder(context, restoredName, statement);
  await bindKnown(context, { message, portal, statement });
  link.send(closeMessage({ kind: 'statement', name: restoredName }), hiddenClose);
}

const lostStatement = new StageError(
  'statement_not_supported',
  'could not serialize access due to a concurrent change of a table',
  { sqlstate: '40001', hint: 'The transaction might succeed if retried.' },
);
