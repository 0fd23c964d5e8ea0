/** Stages prepared statements that write: one that is bound, or one that an EXECUTE runs. */

import { withTripwire } from '../rewrite/write-options.ts';
import type { Parameters, PreparedStatement } from '../server-connection/prepared-statements.ts';
import { noParameters } from '../server-connection/prepared-statements.ts';
import type { Calls } from '../sql/functions/calls.ts';
import type { Write } from '../sql/write.ts';
import type { Message } from '../wire/framer.ts';
import type { Bind } from '../wire/frontend-messages.ts';
import { decodeBind } from '../wire/frontend-messages.ts';
import type { BeginCall, Expressions } from './begin-statement.ts';
import { beginStatement, beginWithExpressions, makeMergeTarget } from './begin-statement.ts';
import { beginWrite } from './begin-write.ts';
import type { ConnectionContext } from './connection-context.ts';
import { originalTypes, refusePrepared } from './original-types.ts';
import { checkResult } from './result-type.ts';
import { learnParameterTypes, prepareAgain } from './shared-steps.ts';
import type { StagedWrite } from './staged-write.ts';

/** The arguments of an EXECUTE. */
interface Arguments {
  readonly expressions: Expressions;
  readonly calls: Calls;
}

/** A prepared statement that writes, with its values from a Bind or its arguments from an EXECUTE. */
export interface PreparedWrite {
  readonly statement: PreparedStatement;
  readonly body: Write;
  readonly given: Bind | Arguments;
}

/** Returns the write that a prepared statement runs when a message binds it, or null. */
export function findWrite(
  { statements }: ConnectionContext,
  statement: PreparedStatement,
  { payload }: Message,
): PreparedWrite | null {
  const { body } = statement;
  if (body.kind === 'write') return { statement, body, given: decodeBind(payload) };
  if (body.kind === 'read' || body.action.type !== 'execute') return null;
  const target = statements.get(body.action.name);
  if (target?.body.kind !== 'write') return null;
  const { written, statement: execute } = statement;
  const expressions = { written, statement: execute, places: body.action.arguments };
  const { calls } = body.action;
  return { statement: target, body: target.body, given: { expressions, calls } };
}

/**
 * Stages a prepared statement.
 * @throws StageError when the arguments of an EXECUTE call functions that could write or do other harm
 */
export async function stagePrepared(
  context: ConnectionContext,
  { statement, body, given }: PreparedWrite,
): Promise<StagedWrite> {
  const { internal, rewriter } = context;
  const runsCode = 'calls' in given && (await rewriter.checkCalls(given.calls));
  return {
    body,
    bodyText: statement.bodyText,
    refuse: () => refusePrepared(context, statement, body),
    prepare: async ({ replacements, fill, explainsOriginal }, wrapErrors) => {
      if (explainsOriginal && statement.parameterTypes === null)
        await learnOriginalTypes(context, statement);
      if (fill !== null) makeMergeTarget(internal, fill);
      prepareAgain(context, statement, replacements, wrapErrors);
      await checkResult(context, statement);
      if ('calls' in given || given.values.length > 0)
        await learnParameterTypes(context, statement);
      if (!('calls' in given)) {
        const parameters = parametersOf(statement, given);
        return (call) => beginWrite(context, call, statement, parameters);
      }
      return (call) => {
        const rewrite = runsCode ? withTripwire(call.rewrite) : call.rewrite;
        beginExecute(context, { ...call, rewrite }, statement, given.expressions);
      };
    },
  };
}

/** Queries the parameter types of a statement of Parse whose rewritten text lacks some of them, after these were forgotten. */
async function learnOriginalTypes(
  context: ConnectionContext,
  statement: PreparedStatement,
): Promise<void> {
  const { origin, written, bodyText, types } = statement;
  if (origin !== 'parse') return;
  const part = { written, start: statement.statement.start, statement: bodyText };
  statement.parameterTypes = await originalTypes(context, part, types);
  // the types were queried in a read-only guard
  context.internal.releaseGuard();
}

/** Sends `stage.begin_statement` with the arguments of an EXECUTE. If their number is wrong, PostgreSQL itself refuses the statement. */
function beginExecute(
  { internal }: ConnectionContext,
  call: BeginCall,
  statement: PreparedStatement,
  expressions: Expressions,
): void {
  const types = statement.parameterTypes ?? [];
  if (types.length !== expressions.places.length) beginStatement(internal, call, null);
  else if (types.length === 0) beginStatement(internal, call, noParameters);
  else beginWithExpressions(internal, call, types, expressions);
}

/** Returns the values of a Bind; null when their number is wrong, because PostgreSQL itself refuses such a Bind. */
function parametersOf(
  { parameterTypes }: PreparedStatement,
  { portal, formats, values }: Bind,
): Parameters | null {
  const types = parameterTypes ?? [];
  if (types.length !== values.length) return null;
  const [only] = formats;
  const ofEach = formats.length === 1 ? values.map(() => only ?? 0) : formats;
  return { portal, types, values, formats: ofEach };
}
