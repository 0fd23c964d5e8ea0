/**
 * Calls `stage.begin_statement`, which precedes every staged statement: it verifies the names and receives the data for the mutation log.
 */

import { StageError } from '../errors.ts';
import { quoteLiteral } from '../identifier.ts';
import type { MergeFill } from '../rewrite/merge-fill.ts';
import type { Rewrite } from '../rewrite/rewritten.ts';
import { isStampGone, stampCalls } from '../rewrite/stamp-calls.ts';
import { firstOfUsers } from '../rewrite/type-names.ts';
import { staleNames } from '../server-connection/error-mapping.ts';
import type { InternalQueries } from '../server-connection/internal-queries.ts';
import type { InternalStatement } from '../server-connection/internal-statement.ts';
import { inPortal } from '../server-connection/parameter-context.ts';
import type { ErrorHandler } from '../server-connection/pending-response.ts';
import type { SentText } from '../server-connection/position-map.ts';
import type { Parameters } from '../server-connection/prepared-statements.ts';
import { noParameters } from '../server-connection/prepared-statements.ts';
import { internalPrefix } from '../server-connection/reserved-names.ts';
import { textToSend } from '../server-connection/statement-text.ts';
import { argumentsText } from '../server-connection/upstream-text.ts';
import type { ByteRange } from '../sql/splice.ts';
import type { Statement } from '../sql/verdict.ts';

/** The OID of text. */
const text = 25;
/** The OIDs of json and json[]. Their values, like those of types that are not built in, may contain what jsonb cannot. */
const json = new Set([114, 199]);
/** The text, the names, the options and the search path, which precede the client's parameters. */
const internalParameters = 4;
const maxParameters = 65_535 - internalParameters;
const executed = `${internalPrefix}begin`;
const filled = `${internalPrefix}fill`;

export interface BeginCall {
  /** The client's text of the statement. */
  readonly text: Buffer;
  readonly rewrite: Rewrite;
  /** Returns an error handler. @param text the sent text that positions refer to, if it comes from the client */
  onError(text: SentText | null): ErrorHandler;
}

/** The expressions that are the arguments of an SQL EXECUTE, in the text that contains it. */
export interface Expressions {
  readonly written: Buffer;
  readonly statement: Statement;
  readonly places: readonly ByteRange[];
}

/**
 * Sends the call with the client's own parameter bytes, which the server converts to JSON.
 * @param parameters null when their number is wrong, which PostgreSQL itself refuses
 * @throws StageError when there are so many parameters that the internal ones do not fit beside them
 */
export function beginStatement(
  internal: InternalQueries,
  call: BeginCall,
  parameters: Parameters | null,
): void {
  const { portal, types, formats, values } = parameters ?? noParameters;
  const { relations, options, path, fill, hasTripwire } = call.rewrite;
  if (values.length > maxParameters) throw tooMany(values.length);
  const onError = call.onError(null);
  const fills = fill !== null && parameters !== null;
  if (fills) makeMergeTarget(internal, fill);
  internal.commitCheck.noteWrite();
  if (hasTripwire) internal.setTripwire();
  // Reading a value of a domain may run code, here and when the statement is bound.
  const runsCode = types.some((type) => type >= firstOfUsers);
  // guard: nothing stays prepared that a domain of a parameter may have replaced
  if (runsCode) internal.forgetCached();
  if (fills) {
    internal.run(
      { text: fill.text, types },
      { values, formats, onError: inPortal(portal, 0, onError) },
    );
  }
  const run = runsCode ? internal.run : internal.runCached;
  run.call(internal, buildCall(call, types), {
    values: [
      call.text,
      ...[relations, options].map((each) => Buffer.from(each)),
      path === null ? null : Buffer.from(path),
      ...values,
    ],
    formats: formats.includes(1) ? [...Array<number>(internalParameters).fill(0), ...formats] : [],
    onError: inPortal(portal, internalParameters, mapMissingStamp(onError)),
  });
}

/** Sends the call for an SQL EXECUTE, whose arguments are expressions. The server evaluates them as in the EXECUTE. */
export function beginWithExpressions(
  internal: InternalQueries,
  call: BeginCall,
  types: readonly number[],
  { written, statement, places }: Expressions,
): void {
  const { relations, options, path, fill, hasTripwire } = call.rewrite;
  if (fill !== null) makeMergeTarget(internal, fill);
  internal.commitCheck.noteWrite();
  if (hasTripwire) internal.setTripwire();
  internal.forgetCached();
  if (fill !== null) {
    internal.prepare(filled, { text: fill.text, types }, call.onError(null));
    execute(filled, []);
  }
  const texts = [call.text.toString(), relations, options].map(quoteLiteral);
  const given = [...texts, path === null ? 'NULL' : quoteLiteral(path)];
  internal.prepare(executed, buildCall(call, types), mapMissingStamp(call.onError(null)));
  execute(executed, given);

  function execute(name: string, more: readonly string[]): void {
    const begin = `EXECUTE ${name} (${more.map((each) => `${each}, `).join('')}`;
    const replaced = { start: 0, end: places[0]?.start ?? 0, text: begin };
    const text = textToSend(written, statement, false, [replaced]);
    internal.run({ text: argumentsText(text) }, { onError: call.onError(text) });
  }
}

/** Creates the empty table that a MERGE runs on. It is dropped when the transaction ends. */
export function makeMergeTarget(internal: InternalQueries, { relation }: MergeFill): void {
  internal.commitCheck.makeMergeTarget(relation);
}

/** Builds the call. The parameters go into an array of jsonb, because a function takes at most a hundred arguments. */
function buildCall({ rewrite }: BeginCall, types: readonly number[]): InternalStatement {
  const list =
    types.length === 0
      ? `'[]'`
      : `pg_catalog.to_jsonb(ARRAY[${eachParameter(types, imageOf)}])::pg_catalog.text`;
  const options =
    rewrite.hidesParameters && types.length > 0
      ? `stage.with_arguments($3, ARRAY[${eachParameter(types, () => 'stage.argument')}], '{${types.join(',')}}')`
      : '$3';
  return {
    text: `SELECT stage.begin_statement($1, ${list}, $2, ${options}, $4${stampCalls(rewrite.stamps)})`,
    types: [...Array<number>(internalParameters).fill(text), ...types],
  };
}

/** Maps the error of a missing stamp function to that of changed names. */
function mapMissingStamp(onError: ErrorHandler): ErrorHandler {
  return (fields) => onError(isStampGone(fields) ? new Map(fields).set('C', staleNames) : fields);
}

const imageOf = (type: number) =>
  json.has(type) || type >= firstOfUsers ? 'stage.value_image' : 'pg_catalog.to_jsonb';

/**
 * Builds the argument list of the parameters, each passed to a function.
 * @param call returns the function to call for a parameter of the given type
 */
function eachParameter(types: readonly number[], call: (type: number) => string): string {
  return types.map((type, index) => `${call(type)}($${index + 1 + internalParameters})`).join(', ');
}

function tooMany(count: number): StageError {
  return new StageError(
    'statement_not_supported',
    `a staged statement cannot have ${count} parameters`,
    { sqlstate: '54000', hint: `Use at most ${maxParameters}.` },
  );
}
