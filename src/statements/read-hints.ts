/** Hints in the errors of reads that write: they explain a write, or call a function that writes and is not staged. */
import { explainsWrite } from '../rewrite/query-planner.ts';
import { hintExplain } from '../server-connection/error-mapping.ts';
import type { ErrorHandler } from '../server-connection/pending-response.ts';
import type { QualifiedName } from '../sql/functions/calls.ts';
import type { Verdict } from '../sql/verdict.ts';
import { errorResponse } from '../wire/backend-messages.ts';
import type { ConnectionContext } from './connection-context.ts';

/** PostgreSQL's SQLSTATE for a write in a READ ONLY transaction. */
const readOnlyTransaction = '25006';

/** The error handler of a statement that is sent as the client wrote it. */
const asItIs: ErrorHandler = (fields) => errorResponse(fields);

/**
 * Returns the error handler of a read.
 * @param handler the one without hints; by default errors pass as they are
 */
export function hinted(
  context: ConnectionContext,
  verdict: Verdict,
  handler?: ErrorHandler,
): ErrorHandler | undefined {
  if (explainsWrite(verdict)) return hintExplain(handler ?? asItIs);
  return mayHint(context) ? hintUnstaged(context, verdict, handler ?? asItIs) : handler;
}

/** Returns whether functions were found that are not staged, and the client itself has not made the transaction READ ONLY. */
const mayHint = ({ functions, reads, state }: ConnectionContext) =>
  !functions.unstaged.isEmpty && reads !== 'production' && state.stages;

function hintUnstaged(
  context: ConnectionContext,
  verdict: Verdict,
  handler: ErrorHandler,
): ErrorHandler {
  const called = calledIn(context, verdict);
  return (fields) => {
    if (fields.get('C') !== readOnlyTransaction) return handler(fields);
    const hint = context.functions.unstaged.hintAmong(called, fields);
    return handler(hint === null ? fields : new Map(fields).set('H', hint));
  };
}

function calledIn({ statements }: ConnectionContext, verdict: Verdict): readonly QualifiedName[] {
  if (verdict.kind === 'read') return verdict.called;
  if (verdict.kind !== 'control' || verdict.action.type !== 'execute') return [];
  const body = statements.get(verdict.action.name)?.body;
  return body?.kind === 'read' ? body.called : [];
}
