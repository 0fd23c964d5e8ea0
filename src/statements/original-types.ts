/**
 * Queries PostgreSQL about a write in the client's own text: the types of its parameters, and its errors. The rewritten text may have lost
 * parameters together with a clause, or fail in another way. EXPLAIN analyses and plans the original, so it never runs.
 */

import { filteredColumn, filtersByGenerated } from '../rewrite/copy-columns.ts';
import { tableChanged } from '../rewrite/stageable.ts';
import { typeNames } from '../rewrite/type-names.ts';
import { mapErrors } from '../server-connection/error-mapping.ts';
import { hiddenClose, PendingResponse } from '../server-connection/pending-response.ts';
import type { SentText } from '../server-connection/position-map.ts';
import type { PreparedStatement } from '../server-connection/prepared-statements.ts';
import { UpstreamError } from '../server-connection/refusals.ts';
import { internalPrefix } from '../server-connection/reserved-names.ts';
import { textToSend } from '../server-connection/statement-text.ts';
import { syncAndGoOn, waitForResponses } from '../server-connection/sync.ts';
import type { UpstreamText, WrittenStatement } from '../server-connection/upstream-text.ts';
import { analysedCall, explained, typesText } from '../server-connection/upstream-text.ts';
import type { Replacement } from '../sql/splice.ts';
import type { ControlAction, Statement } from '../sql/verdict.ts';
import type { CopyWrite, Write } from '../sql/write.ts';
import type { ErrorFields } from '../wire/error-fields.ts';
import { closeMessage, describeMessage } from '../wire/frontend-messages.ts';
import type { ConnectionContext } from './connection-context.ts';

/** A PREPARE, in the text that contains it. */
export interface Preparation {
  readonly written: Buffer;
  readonly statement: Statement;
  readonly action: Extract<ControlAction, { type: 'prepare' }>;
}

const original = { kind: 'statement', name: `${internalPrefix}original` } as const;

/**
 * Returns the parameter types of a write. Ends an implicit transaction if it must query the server.
 * @param types OIDs that the client specifies
 * @throws UpstreamError for a text that PostgreSQL refuses
 */
export async function originalTypes(
  context: ConnectionContext,
  write: WrittenStatement,
  types: readonly number[],
): Promise<readonly number[]> {
  const request = { written: write.statement, types };
  const known = context.types.recall(request);
  if (known !== null) return known;
  const { text, sentText } = explained(write);
  const description = await describe(context, text, types, sentText);
  return description === null ? types : context.types.learn(request, description);
}

/**
 * Does the same for the body of an SQL PREPARE, whose parameter types may be given by name.
 * @returns the replacement that specifies all types
 */
export async function originalTypeList(
  context: ConnectionContext,
  preparation: Preparation,
): Promise<Replacement> {
  const types = await preparedTypes(context, preparation);
  const names = await typeNames(context.query, types);
  const { typesRange } = preparation.action;
  return { ...typesRange, text: names.length === 0 ? ' ' : ` (${names.join(', ')}) ` };
}

/** Returns the types of a PREPARE's parameters, as PostgreSQL determines them for the client's own text. */
export async function preparedTypes(
  context: ConnectionContext,
  preparation: Preparation,
): Promise<readonly number[]> {
  const declared = await declaredTypes(context, preparation);
  return originalTypes(context, bodyOf(preparation), declared);
}

/** Returns the body of a PREPARE, with its place in the text. */
export function bodyOf({
  written,
  statement,
  action: { bodyRange },
}: Preparation): WrittenStatement {
  const { start, end } = bodyRange;
  return {
    written,
    start: statement.start + start,
    statement: statement.text.subarray(start, end),
  };
}

/** Returns the types that a PREPARE gives its parameters by name. */
async function declaredTypes(
  context: ConnectionContext,
  { written, statement, action: { typesRange } }: Preparation,
): Promise<readonly number[]> {
  const { start, end } = typesRange;
  if (statement.text.toString('latin1', start, end).trim() === '') return [];
  const sentText = textToSend(written, statement, false, [
    { start: 0, end: start, text: `PREPARE ${original.name}` },
    { start: end, end: statement.text.length, text: 'AS SELECT' },
  ]);
  const { internal, link, types } = context;
  internal.guard();
  link.send(closeMessage(original), hiddenClose);
  const outcome = listen();
  internal.run({ text: typesText(sentText) }, { onError: outcome.onError });
  const description = await outcome.answer(context, sentText);
  const request = { written: statement.text.subarray(0, end), types: [] };
  return description === null ? [] : types.learn(request, description);
}

/**
 * Makes PostgreSQL refuse, in its own words, a write that cannot succeed.
 * @param types OIDs of its parameters that the client specifies; null in a Query, which has no parameters
 * @throws UpstreamError always, or a StageError if PostgreSQL no longer refuses it
 */
export async function refuseOriginal(
  context: ConnectionContext,
  write: Write,
  part: WrittenStatement,
  types: readonly number[] | null,
): Promise<never> {
  if (write.form === 'copy') await explainCopy(context, write, part);
  else if (write.form === 'query' && write.stagesCalls === 'CALL')
    await analyseCall(context, part, types ?? []);
  else if (types === null) await query(context, explained(part));
  else await explainPlan(context, part, types);
  throw context.rewriter.refusals.get(write) ?? tableChanged;
}

/** Parses a CALL, which EXPLAIN does not accept. */
async function analyseCall(
  context: ConnectionContext,
  part: WrittenStatement,
  types: readonly number[],
): Promise<void> {
  const { text, sentText } = analysedCall(part);
  await describe(context, text, types, sentText);
}

/** Does the same for a statement that was prepared earlier. */
export async function refusePrepared(
  context: ConnectionContext,
  { written, statement, types: prescribed, bodyText }: PreparedStatement,
  write: Write,
): Promise<never> {
  const { verdict } = statement;
  if (verdict.kind !== 'control' || verdict.action.type !== 'prepare') {
    const part = { written, start: statement.start, statement: bodyText };
    return refuseOriginal(context, write, part, prescribed);
  }
  const preparation = { written, statement, action: verdict.action };
  const types = await preparedTypes(context, preparation);
  return refuseOriginal(context, write, bodyOf(preparation), types);
}

async function explainPlan(
  context: ConnectionContext,
  part: WrittenStatement,
  prescribed: readonly number[],
): Promise<void> {
  const types = await originalTypes(context, part, prescribed);
  const { text, sentText } = explained(part);
  const { internal } = context;
  internal.guard(true);
  const outcome = listen();
  internal.run({ text, types }, { values: types.map(() => null), onError: outcome.onError });
  await syncAndGoOn(context);
  outcome.check(context, sentText);
}

/**
 * Checks a COPY, which EXPLAIN does not accept, by a SELECT from its target, without and with its condition. Errors of the target have
 * no position in PostgreSQL.
 * @throws StageError for a condition on a generated column, which PostgreSQL refuses next
 */
async function explainCopy(
  context: ConnectionContext,
  copy: CopyWrite,
  part: WrittenStatement,
): Promise<void> {
  const [target] = copy.relations;
  if (target === undefined) return;
  const length = part.statement.length;
  const from = { start: 0, end: target.start, text: 'SELECT FROM ' };
  const onlyTarget = explained(part, [from, { start: target.end, end: length, text: '' }]);
  await query(context, { ...onlyTarget, sentText: null });
  if (copy.where === null) return;
  const between = { start: target.end, end: copy.where, text: ' ' };
  await query(context, explained(part, [from, between]));
  const [meaning] = await context.names.resolve([target]);
  const column = meaning && filteredColumn(copy, target.name, meaning);
  if (column) throw filtersByGenerated(column);
}

async function query(
  context: ConnectionContext,
  { text, sentText }: { readonly text: UpstreamText; readonly sentText: SentText | null },
): Promise<void> {
  const { internal, link } = context;
  internal.guard(true);
  const outcome = listen();
  link.query(text, new PendingResponse('query', 'nothing', { onError: outcome.onError }));
  await waitForResponses(context);
  outcome.check(context, sentText);
}

async function describe(
  context: ConnectionContext,
  text: UpstreamText,
  types: readonly number[],
  sentText: SentText,
): Promise<Buffer | null> {
  context.internal.guard(true);
  const outcome = listen();
  context.internal.prepare(original.name, { text, types }, outcome.onError);
  return outcome.answer(context, sentText);
}

/** Creates the handlers for a query about the client's text. */
function listen() {
  let failure: ErrorFields | null = null;
  const onError = (fields: ErrorFields) => {
    failure = fields;
    return null;
  };
  const check = ({ names }: ConnectionContext, sentText: SentText | null) => {
    if (failure === null) return;
    const mapped = mapErrors(sentText, names)(failure) as Buffer;
    throw new UpstreamError(failure, mapped);
  };
  /** Describes the prepared statement. Returns the description of its parameters. */
  const answer = async (context: ConnectionContext, sentText: SentText) => {
    const { link } = context;
    let description: Buffer | null = null;
    const onParameterTypes = (payload: Buffer) => {
      description = Buffer.from(payload);
    };
    const expected = new PendingResponse('describe', 'nothing', { onError, onParameterTypes });
    link.send(describeMessage(original), expected);
    link.send(closeMessage(original), hiddenClose);
    await syncAndGoOn(context);
    check(context, sentText);
    return description as Buffer | null;
  };
  return { onError, check, answer };
}
