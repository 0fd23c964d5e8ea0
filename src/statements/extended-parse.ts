/** Handles Parse: classifies the statement's text, and prepares it under the client's name in the form in which it must run. */
import { StageError } from '../errors.ts';
import type { QueryPlan } from '../rewrite/query-plan.ts';
import { explainsWrite, fixedReplacements, readOf } from '../rewrite/query-planner.ts';
import { isRefused } from '../rewrite/rewritten.ts';
import { callingTypes } from '../rewrite/type-names.ts';
import { mapErrors } from '../server-connection/error-mapping.ts';
import type { ErrorHandler } from '../server-connection/pending-response.ts';
import { PendingResponse } from '../server-connection/pending-response.ts';
import type { PreparedStatement, RefusedWhen } from '../server-connection/prepared-statements.ts';
import { preparingText } from '../server-connection/prepared-statements.ts';
import { refusalError } from '../server-connection/refusals.ts';
import { checkName } from '../server-connection/reserved-names.ts';
import type { UpstreamText } from '../server-connection/upstream-text.ts';
import {
  emptyText,
  explained,
  refusedText,
  statementText,
} from '../server-connection/upstream-text.ts';
import { withParameters } from '../sql/classify/kinds/classify-prepared.ts';
import type { Statement } from '../sql/verdict.ts';
import type { Write } from '../sql/write.ts';
import type { Message } from '../wire/framer.ts';
import type { Parse } from '../wire/frontend-messages.ts';
import { decodeParse } from '../wire/frontend-messages.ts';
import { frontend } from '../wire/message-codes.ts';
import { makeMergeTarget } from './begin-statement.ts';
import type { ConnectionContext } from './connection-context.ts';
import { controlReplacements } from './controls.ts';
import { originalTypes, refuseOriginal } from './original-types.ts';
import { validateWithBatch } from './read-batches.ts';
import {
  checkReadCalls,
  needsBlockForTypes,
  needsTypeCheck,
  openCheckedBlock,
} from './read-calls.ts';
import { inFailedTransaction } from './read-only-write.ts';
import { noteResult } from './result-type.ts';
import { isOfNames } from './retry-errors.ts';
import { queryReplacements, readReplacements } from './shared-steps.ts';
import { mayStageCalls, withStagedCalls } from './staged-calls.ts';
import { openBlock } from './staged-write.ts';

/** Returns the placeholder for a statement that will be refused. */
function inPlaceOf(when: RefusedWhen, parsing: Pick<Parsing, 'plan' | 'statement'>): UpstreamText {
  return when === 'run' ? refusedText : explained(writtenStatement(parsing)).text;
}

function writtenStatement({ plan, statement }: Pick<Parsing, 'plan' | 'statement'>) {
  return { written: plan.text, start: statement.start, statement: statement.text };
}

interface Parsing {
  readonly message: Message;
  readonly request: Parse;
  readonly plan: QueryPlan;
  readonly statement: Statement;
}

/** Handles a Parse. @throws StageError or SqlSyntaxError for a refused statement */
export function parse(context: ConnectionContext, message: Message): void | Promise<void> {
  const request = decodeParse(message.payload);
  checkName(request.name);
  const plan = context.planner.plan(request.text);
  if (plan === null) return parseHeavy(context, message, request);
  return parsePlanned(context, message, request, plan);
}

async function parseHeavy(
  context: ConnectionContext,
  message: Message,
  request: Parse,
): Promise<void> {
  const plan = await context.planner.planApart(request.text, context.gone);
  await parsePlanned(context, message, request, plan);
}

function parsePlanned(
  context: ConnectionContext,
  message: Message,
  request: Parse,
  plan: QueryPlan,
): void | Promise<void> {
  checkPlan(plan);
  const [statement] = plan.statements;
  if (statement === undefined) return parseNothing(context, message, request, plan);
  const parsing = { message, request, plan, statement };
  if (!mayStageCalls(context, statement.verdict)) return parseTyped(context, parsing);
  return withStagedCalls(context, statement).then((found) =>
    parseTyped(context, { ...parsing, statement: found }),
  );
}

function parseTyped(context: ConnectionContext, parsing: Parsing): void | Promise<void> {
  return callsTypes(context, parsing)
    ? parseWithTypes(context, parsing)
    : parseKnown(context, parsing);
}

/** Returns whether the types of a statement or of its parameters require a query to the server, or a check of code. */
function callsTypes(context: ConnectionContext, { request, statement }: Parsing): boolean {
  if (context.names.mayCall(request.types)) return true;
  const { verdict } = statement;
  return needsTypeCheck(context, verdict) || needsBlockForTypes(context, verdict);
}

async function parseWithTypes(context: ConnectionContext, parsing: Parsing): Promise<void> {
  const statement = await withTypes(context, parsing);
  const { verdict } = statement;
  // guard: PostgreSQL reads literals, and checks those of domains, when a statement is parsed
  if (needsTypeCheck(context, verdict)) await checkReadCalls(context, verdict);
  if (needsBlockForTypes(context, verdict)) await openCheckedBlock(context);
  await parseKnown(context, { ...parsing, statement });
}

/** Returns the statement with the client's parameter types among its calls. */
async function withTypes(
  { names, query }: ConnectionContext,
  { request, statement }: Parsing,
): Promise<Statement> {
  const { verdict } = statement;
  const isTyped = verdict.kind === 'read' || verdict.kind === 'write';
  if (!isTyped || !names.mayCall(request.types)) return statement;
  // guard: the types that a client gives its parameters are called
  const types = await callingTypes(query, request.types);
  return { ...statement, verdict: withParameters(verdict, types) };
}

function parseKnown(context: ConnectionContext, parsing: Parsing): void | Promise<void> {
  const { plan, statement } = parsing;
  const { verdict } = statement;
  if (verdict.kind === 'write') return parseWrite(context, parsing, verdict);
  if (needsNames(context, plan)) return parseWithNames(context, parsing);
  const read = readOf(verdict);
  const control = verdict.kind === 'control' && read === null ? verdict.action : null;
  const fixed = read === null ? [] : fixedReplacements(read);
  const replacements = control ? controlReplacements(context, control, statement.text) : fixed;
  const preparation =
    replacements.length === 0 ? nothingReplaced : { ...nothingReplaced, replacements };
  prepare(context, parsing, preparation);
}

function checkPlan({ refusal, statements }: QueryPlan): void {
  if (refusal !== null) throw refusalError(refusal);
  if (statements.length < 2) return;
  const message = 'cannot insert multiple commands into a prepared statement';
  throw new StageError('invalid_request', message, { sqlstate: '42601' });
}

function needsNames({ reads }: ConnectionContext, { statements, hasNames }: QueryPlan): boolean {
  if (reads === 'staged' && hasNames) return true;
  return statements.some(({ verdict }) => {
    return verdict.kind === 'control' && verdict.action.type === 'prepare';
  });
}

function parseNothing(
  { statements, link, retry }: ConnectionContext,
  { frame }: Message,
  { name, types }: Parse,
  plan: QueryPlan,
): void {
  const restore = statements.delete(name);
  const text = emptyText(plan, frame);
  const expected = retry.track(new PendingResponse('parse', 'all', { onFailure: restore }));
  link.parse({ name, text, types }, expected);
}

async function parseWrite(
  context: ConnectionContext,
  parsing: Parsing,
  verdict: Write,
): Promise<void> {
  const { state, rewriter, internal, hasSync } = context;
  if (state.failed) throw inFailedTransaction;
  // guard: Describe of a write reports its tables as they are now
  if (context.isNext(frontend.describe)) await context.names.refresh(verdict.relations);
  // a failed Parse for a set can be retried only if it opens an internal block; elsewhere the Bind switches to the set
  const mayBeSet = state.stages && state.block === 'none' && hasSync();
  const rewrite = await rewriter.write(verdict, mayBeSet);
  const original = writtenStatement(parsing);
  const { types } = parsing.request;
  if (rewrite === 'analysed') return refuseOriginal(context, verdict, original, types);
  if (isRefused(rewrite)) {
    if (rewrite === 'planned') await originalTypes(context, original, types);
    prepare(context, parsing, { ...nothingReplaced, refusedWhen: rewrite });
    return;
  }
  const parameterTypes = rewrite.explainsOriginal
    ? await originalTypes(context, original, types)
    : null;
  // The block is opened first in the batch, so that it need not wait for earlier messages.
  if (state.stages) await openBlock(context, parsing.message);
  if (rewrite.fill !== null) {
    if (!state.stages) {
      prepare(context, parsing, { ...nothingReplaced, parameterTypes, refusedWhen: 'run' });
      return;
    }
    internal.releaseGuard();
    makeMergeTarget(internal, rewrite.fill);
  }
  const { replacements } = rewrite;
  prepare(context, parsing, { ...nothingReplaced, replacements, parameterTypes });
}

async function parseWithNames(context: ConnectionContext, parsing: Parsing): Promise<void> {
  const { verdict } = parsing.statement;
  const { verification } = context.pending;
  if (verification !== null) validateWithBatch(context, verification, parsing.message);
  const made =
    verdict.kind === 'read'
      ? { replacements: await readReplacements(context, verdict, verification !== null) }
      : await queryReplacements(context, parsing.plan.text, parsing.statement);
  prepare(context, parsing, { ...nothingReplaced, ...made });
}

/** The particulars of a statement as it is sent. */
type Preparation = Pick<
  PreparedStatement,
  'replacements' | 'typeList' | 'parameterTypes' | 'refusedWhen'
>;

const nothingReplaced: Preparation = {
  replacements: [],
  typeList: [],
  parameterTypes: null,
  refusedWhen: null,
};

/** Lists every field: spreading an object of this size would cost more than the rest of a read. */
function preparedStatement(
  { request, plan, statement }: Parsing,
  { replacements, typeList, parameterTypes, refusedWhen }: Preparation,
  runs: number,
): PreparedStatement {
  return {
    name: request.name,
    origin: 'parse',
    written: plan.text,
    statement,
    body: statement.verdict as PreparedStatement['body'],
    bodyText: statement.text,
    types: request.types,
    replacements,
    typeList,
    runs,
    refusedWhen,
    parameterTypes,
    result: null,
    verified: null,
  };
}

/** Sends the Parse, changed only where something is replaced. */
function prepare(context: ConnectionContext, parsing: Parsing, preparation: Preparation): void {
  const { statements, link, names, retry, pending, state, internal } = context;
  const { message, request, plan, statement } = parsing;
  const { replacements, parameterTypes, refusedWhen } = preparation;
  const prepared = preparedStatement(parsing, preparation, state.runs);
  if (prepared.body.kind === 'write') prepared.parameterTypes ??= context.types.recall(prepared);
  const onFailure = statements.set(request.name, prepared);
  if (statement.verdict.kind !== 'control') pending.hasSnapshot = true;
  const sentText = preparingText(prepared);
  const isAsReceived = replacements.length === 0;
  const text =
    refusedWhen === null
      ? statementText(statement, sentText, isAsReceived ? message.frame : null)
      : inPlaceOf(refusedWhen, { plan, statement });
  // The analysis of a statement may run code.
  if (text.kind === 'read')
    internal.guard(refusedWhen === 'planned' || explainsWrite(statement.verdict));
  const types = parameterTypes ?? request.types;
  if (needsNames(context, plan)) pending.resolved = prepared;
  let onError: ErrorHandler | undefined;
  if (!isAsReceived) {
    pending.resolved = prepared;
    // The Parse precedes `stage.begin_statement`, so its error may come from an overlay that does not match its table yet.
    onError = retry.before(mapErrors(sentText, names), {
      message,
      mayBeStale: (sqlstate) => statement.verdict.kind === 'write' && isOfNames(sqlstate),
    });
  }
  const handlers = onError === undefined ? { onFailure } : { onFailure, onError };
  const expected = retry.track(new PendingResponse('parse', 'all', handlers));
  link.parse({ name: request.name, text, types }, expected);
  noteResult(context, prepared.name, prepared.body, () => prepared);
}
