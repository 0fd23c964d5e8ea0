/** What a Bind of a staged write needs around it: a block to run in, current names, and the entering of it. */

import { isRefused, watched } from '../rewrite/rewrite.ts';
import { hidesParameters } from '../rewrite/write-options.ts';
import { mapErrors } from '../server-connection/error-mapping.ts';
import type { SentText } from '../server-connection/position-map.ts';
import type { Parameters, PreparedStatement } from '../server-connection/prepared-statements.ts';
import { forgetTypes } from '../server-connection/prepared-statements.ts';
import { syncAndGoOn } from '../server-connection/sync.ts';
import type { Calls } from '../sql/functions/calls.ts';
import type { Write } from '../sql/write.ts';
import type { Message } from '../wire/framer.ts';
import type { Bind } from '../wire/frontend-messages.ts';
import { decodeBind } from '../wire/frontend-messages.ts';
import type { ConnectionContext } from './connection-context.ts';
import type { Expressions } from './enter-call.ts';
import { enter, makeMergeTarget } from './enter-call.ts';
import { refusePrepared } from './original-types.ts';
import { checkResult } from './result-type.ts';
import { enterExecute, learnParameterTypes, prepareAgain } from './shared-steps.ts';
import { protectWrite, waitForRow } from './write-protection.ts';

/**
 * Opens a block of ours unless one is open, after ending what ran before it READ ONLY in the same batch. One of the client's in which
 * nothing has run can be begun anew.
 */
export async function openBlock(context: ConnectionContext, message: Message): Promise<void> {
  const { state, internal, retry, link } = context;
  const { begun } = link.fresh;
  if (begun !== null) {
    retry.arm('block', message, begun);
    waitForRow(context);
  }
  if (state.block !== 'none') return;
  if (state.implicit) await syncAndGoOn(context);
  internal.begin();
  retry.arm('block', message);
  waitForRow(context);
}

/** What an EXECUTE is given. */
interface Arguments {
  readonly expressions: Expressions;
  readonly calls: Calls;
}

/** A prepared statement that writes: by itself, or by executing another one. */
export interface PreparedWrite {
  readonly statement: PreparedStatement;
  readonly body: Write;
  /** Of the EXECUTE; null for a statement that writes by itself. */
  readonly given: Arguments | null;
}

/** What is done when a write that has been bound is executed. */
interface ReadyWrite {
  /** Tells the staging of it, before it is executed. */
  enter(): void;
  /** Has its rows staged one by one from now on; null where they are. */
  readonly stageRowByRow: (() => void) | null;
}

/** Gives the write that a prepared statement runs, or null. */
export function findWrite(
  { statements }: ConnectionContext,
  statement: PreparedStatement,
): PreparedWrite | null {
  const { body } = statement;
  if (body.kind === 'write') return { statement, body, given: null };
  if (body.kind === 'read' || body.action.type !== 'execute') return null;
  const target = statements.get(body.action.name);
  if (target?.body.kind !== 'write') return null;
  const { written, statement: execute } = statement;
  const expressions = { written, statement: execute, places: body.action.arguments };
  return { statement: target, body: target.body, given: { expressions, calls: body.action.calls } };
}

/**
 * Makes everything ready for the write to be bound.
 * @returns null when it is not to be staged
 */
export async function readyForWrite(
  context: ConnectionContext,
  { statement, body, given }: PreparedWrite,
  message: Message,
): Promise<ReadyWrite | null> {
  const { rewriter, internal, retry, names, pending, hasSync } = context;
  const bind = decodeBind(message.payload);
  const isNew = pending.resolved === statement;
  const runsCode = given !== null && (await rewriter.checkCalls(given.calls));
  // the data of a COPY is kept where a Query has asked for it
  const mayBeSet = body.form !== 'copy' && hasSync() && retry.canKeep(message);
  const rewrite = await rewriter.write(body, mayBeSet);
  if (isRefused(rewrite)) {
    // of a COPY PostgreSQL says it when it is run
    return rewrite === 'run' ? null : refusePrepared(context, statement, body);
  }
  await openBlock(context, message);
  if (retry.isFresh) internal.releaseGuard();
  else protectWrite(context, message, rewrite.isSet);
  if (rewrite.fill !== null) makeMergeTarget(internal, rewrite.fill);
  const stageRowByRow = rewriter.fallback(body, rewrite);
  prepareAgain(context, statement, rewrite.replacements, (handler) =>
    retry.before(handler, { stageRowByRow }),
  );
  await checkResult(context, statement);
  if (given !== null || bind.values.length > 0) {
    await learnParameterTypes(context, statement);
  }
  // What was parsed in this batch was analysed with the overlay as it was: its parameters may have other types by now.
  const mayBeStale = (sqlstate: string) => {
    if (!isNew || hidesParameters(body) || !sqlstate.startsWith('22')) return false;
    forgetTypes(statement);
    return true;
  };
  const call = () => ({
    text: statement.bodyText,
    rewrite: runsCode ? watched(rewrite) : rewrite,
    onError: (text: SentText | null) =>
      retry.before(mapErrors(text, names.productionSchema), { mayBeStale }),
  });
  if (given !== null) {
    const enterGiven = () => enterExecute(context, call(), statement, given.expressions);
    return { enter: enterGiven, stageRowByRow };
  }
  const parameters = parametersOf(statement, bind);
  return { enter: () => enter(internal, call(), parameters), stageRowByRow };
}

/** If there are too many or too few, PostgreSQL refuses the Bind itself. */
function parametersOf(
  { parameterTypes }: PreparedStatement,
  { formats, values }: Bind,
): Parameters | null {
  const types = parameterTypes ?? [];
  if (types.length !== values.length) return null;
  const [only] = formats;
  return { types, values, formats: formats.length === 1 ? values.map(() => only ?? 0) : formats };
}
