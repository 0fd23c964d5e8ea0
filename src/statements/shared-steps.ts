/** The steps around a staged write that both protocols share. */
import { isDeepStrictEqual } from 'node:util';
import { fixedReplacements, hasNames, readOf } from '../rewrite/query-planner.ts';
import { isRefused } from '../rewrite/rewritten.ts';
import {
  deliver,
  deliverNotice,
  mapErrors,
  rowsAffected,
} from '../server-connection/error-mapping.ts';
import type { ErrorHandler, Particulars } from '../server-connection/pending-response.ts';
import { hiddenClose, PendingResponse } from '../server-connection/pending-response.ts';
import type {
  PreparedStatement,
  PrepareReplacements,
  RefusedWhen,
} from '../server-connection/prepared-statements.ts';
import { inBody, preparingText } from '../server-connection/prepared-statements.ts';
import { syncAndGoOn } from '../server-connection/sync.ts';
import { statementText } from '../server-connection/upstream-text.ts';
import type { Read } from '../sql/read.ts';
import type { Replacement } from '../sql/splice.ts';
import type { ControlAction, Statement } from '../sql/verdict.ts';
import type { DefinitionWrite, QueryWrite, Write } from '../sql/write.ts';
import type { ErrorFields } from '../wire/error-fields.ts';
import { closeMessage, describeMessage } from '../wire/frontend-messages.ts';
import { makeMergeTarget } from './begin-statement.ts';
import type { ConnectionContext } from './connection-context.ts';
import { controlReplacements } from './controls.ts';
import type { Preparation } from './original-types.ts';
import { bodyOf, originalTypeList, preparedTypes, refuseOriginal } from './original-types.ts';
import { inFailedTransaction } from './read-only-write.ts';
import { checkResult } from './result-type.ts';

/**
 * Returns the replacements in a read: row locks always, names if it reads staged rows.
 * @param isVerified whether the names are verified together with the read
 */
export async function readReplacements(
  { reads, rewriter }: ConnectionContext,
  body: Read,
  isVerified = false,
): Promise<readonly Replacement[]> {
  if (reads === 'production' || !hasNames(body)) return fixedReplacements(body);
  return (await rewriter.read(body, isVerified)).replacements;
}

/** Returns the replacements in an SQL PREPARE: in its body, and for types that cannot be inferred from the rewritten body. */
export async function prepareReplacements(
  context: ConnectionContext,
  preparation: Preparation,
): Promise<PrepareReplacements> {
  const { state, rewriter, internal } = context;
  const { body } = preparation.action;
  if (body.kind === 'read')
    return { replacements: await readReplacements(context, body), typeList: [] };
  if (state.failed) throw inFailedTransaction;
  const rewrite = await rewriter.write(body);
  if (isRefused(rewrite)) return refusedBody(context, preparation, body, rewrite);
  if (!rewrite.explainsOriginal) return { replacements: rewrite.replacements, typeList: [] };
  const typeList = [await originalTypeList(context, preparation)];
  if (rewrite.fill !== null) {
    if (!state.stages) return { replacements: [inPlaceOfBody(preparation), ...typeList], typeList };
    if (state.block === 'none') internal.begin();
    internal.releaseGuard();
    makeMergeTarget(internal, rewrite.fill);
  }
  return { replacements: [...rewrite.replacements, ...typeList], typeList };
}

/**
 * Returns the replacements in the query of a PREPARE, or of a DECLARE. That of a cursor runs when the statement does, unchanged.
 * @param written the text of the statement's message
 */
export async function queryReplacements(
  context: ConnectionContext,
  written: Buffer,
  statement: Statement,
): Promise<Pick<PreparedStatement, 'replacements'>> {
  const { verdict } = statement;
  if (verdict.kind === 'control' && verdict.action.type === 'prepare')
    return prepareReplacements(context, { written, statement, action: verdict.action });
  const body = readOf(verdict) as Read;
  if (context.reads === 'production' || !hasNames(body))
    return { replacements: fixedReplacements(body) };
  const { replacements } = await context.rewriter.readOverlays(body);
  return { replacements };
}

/** Handles a PREPARE of a write that PostgreSQL refuses, either at once or when it is executed. */
async function refusedBody(
  context: ConnectionContext,
  preparation: Preparation,
  body: Write,
  when: RefusedWhen,
): Promise<PrepareReplacements> {
  const types = await preparedTypes(context, preparation);
  if (when === 'analysed') return refuseOriginal(context, body, bodyOf(preparation), types);
  return { replacements: [inPlaceOfBody(preparation)], typeList: [] };
}

/** Returns the placeholder for a body that will be refused when it is executed. */
const inPlaceOfBody = ({ action }: Preparation): Replacement => ({
  ...action.bodyRange,
  text: 'SELECT',
});

/**
 * Returns the handlers for the response to a staged write. Call it directly before the write is sent.
 * @param isSet whether its rows are staged as a set, so that it is run again if that fails
 */
export function responseToWrite(
  { copyIn, stagedNotice }: Pick<ConnectionContext, 'copyIn' | 'stagedNotice'>,
  write: Write,
  isSet = false,
): Particulars {
  const { form, relations } = write;
  if (form === 'definition') return { onNotice: noticeOfDefinition(write) };
  const hasTarget = relations.some(({ target }) => target !== null);
  const remark = hasTarget ? stagedNotice.query() : undefined;
  const common = { onNotice: deliverNotice, ...(remark && { remark }) };
  if (form === 'copy') return { ...common, ...copyIn.pending(isSet) };
  if (form === 'truncate') return { ...common, tag: 'TRUNCATE TABLE' };
  return write.form === 'query' && write.changes
    ? { ...common, ...countedResponse(write) }
    : common;
}

const withoutSchema = 'schema "pg_temp" does not exist, skipping';

/**
 * Returns the notice handler of a definition. While a connection has created no temporary table, it has no temporary schema, and PostgreSQL
 * reports the missing schema in place of the missing table. In a server with another language the notice is not replaced.
 */
function noticeOfDefinition({ relations }: DefinitionWrite): (fields: ErrorFields) => Buffer {
  const missing = [...relations];
  return (fields) => {
    if (fields.get('M') !== withoutSchema) return deliverNotice(fields);
    const { schema = null, name } = missing.shift() ?? {};
    const message = schema === null ? `table "${name}" does not exist, skipping` : withoutSchema;
    return deliverNotice(new Map(fields).set('M', message));
  };
}

/** Returns the handlers for a change of many rows as a set, for which PostgreSQL counts no rows: a notice contains their number. */
function countedResponse({ rights }: QueryWrite): Particulars {
  let tag: string | undefined;
  const onNotice = (fields: ErrorFields) => {
    if (fields.get('C') !== rowsAffected) return deliverNotice(fields);
    tag = `${rights[0]?.operation} ${fields.get('M')}`;
    return null;
  };
  return { onNotice, tag: () => tag };
}

/** Drops the client's unnamed statement, if there is one. */
export function dropUnnamed({ statements, link }: ConnectionContext): void {
  if (statements.get('') === undefined) return;
  const onFailure = statements.delete('');
  const frame = closeMessage({ kind: 'statement', name: '' });
  link.send(frame, new PendingResponse('close', 'nothing', { onFailure }));
}

/**
 * Updates the upstream's statement to the one that is to run now. Overlays may have changed since it was prepared, and a function that a
 * read has called may have replaced it.
 * @param wrapErrors for a text that may be replaced by another one after an error
 */
export function prepareAgain(
  context: ConnectionContext,
  statement: PreparedStatement,
  replaced: readonly Replacement[],
  wrapErrors: (handler: ErrorHandler) => ErrorHandler = (handler) => handler,
): void {
  const { link, internal, state } = context;
  const replacements = [...replaced, ...statement.typeList];
  const isRetained = statement.refusedWhen === null && statement.result?.version !== null;
  const isSame = isRetained && isDeepStrictEqual(statement.replacements, replacements);
  // A text that replaces a read is guarded like a read.
  // guard: statements are prepared anew when a read may have replaced them
  if (isSame && (statement.body.kind === 'read' || statement.runs === state.runs)) return;
  // A Parse fixes the types for the statement's whole lifetime.
  if (!isSame && statement.origin === 'sql') statement.parameterTypes = null;
  // guard: another text may return other columns, also where all names have kept their meanings
  if (!isSame && statement.result) statement.result = { ...statement.result, version: null };
  statement.replacements = replacements;
  statement.refusedWhen = null;
  statement.runs = state.runs;
  const { name, origin } = statement;
  // The analysis of a statement may run code.
  if (statement.body.kind === 'read') internal.guard();
  if (origin === 'parse') {
    prepareUnder(context, name, statement, wrapErrors);
  } else {
    const text = statementText(statement.statement, preparingText(statement));
    link.send(closeMessage({ kind: 'statement', name }), hiddenClose);
    internal.run({ text }, { onError: wrapErrors(deliver) });
  }
}

/** Prepares a statement of Parse upstream as it is to run, under its own name or another one. */
export function prepareUnder(
  { internal, names }: ConnectionContext,
  name: string,
  statement: PreparedStatement,
  wrapErrors: (handler: ErrorHandler) => ErrorHandler = (handler) => handler,
): void {
  const sentText = preparingText(statement);
  const text = statementText(statement.statement, sentText);
  const types = statement.parameterTypes ?? statement.types;
  const onError = mapErrors(sentText, names);
  internal.prepare(name, { text, types }, wrapErrors(onError));
}

/** Updates the upstream's statement to the command that is to run now: the text of a BEGIN depends on where it runs. */
export function refreshControl(
  context: ConnectionContext,
  statement: PreparedStatement,
  action: ControlAction,
): void {
  const replacements =
    action.type === 'prepare'
      ? inBody(statement)
      : controlReplacements(context, action, statement.statement.text);
  prepareAgain(context, statement, replacements);
}

/** Updates a read of staged rows. */
export async function refreshRead(
  context: ConnectionContext,
  statement: PreparedStatement,
): Promise<void> {
  const { reads, rewriter } = context;
  const { body } = statement;
  if (reads === 'production' || body.kind !== 'read' || !hasNames(body)) return;
  const { replacements } = await rewriter.read(body);
  prepareAgain(context, statement, replacements);
  await checkResult(context, statement);
  statement.verified = rewriter.checks.verification(body);
}

/** Queries the types of a statement's parameters, once. */
export async function learnParameterTypes(
  context: ConnectionContext,
  statement: PreparedStatement,
): Promise<void> {
  if (statement.parameterTypes !== null) return;
  const onParameterTypes = (payload: Buffer) => {
    statement.parameterTypes = context.types.learn(statement, payload);
  };
  context.link.send(
    describeMessage({ kind: 'statement', name: statement.name }),
    new PendingResponse('describe', 'nothing', { onError: deliver, onParameterTypes }),
  );
  await syncAndGoOn(context);
}
