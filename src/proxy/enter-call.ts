/** The call of stage.enter that comes before every staged statement: verifies its names, hands over what is to be logged. */
import { quoteLiteral } from '../db/identifier.ts';
import { StageError } from '../errors.ts';
import type { ErrorHandler } from './expectation.ts';
import type { OwnMessages, OwnStatement } from './own-messages.ts';
import type { Parameters } from './prepared-statements.ts';
import { ownPrefix } from './reserved-names.ts';

/** OID of text. */
const text = 25;
/** The text, the names, the options and the search path come before the client's parameters. */
const ownParameters = 4;
const maxParameters = 65_535 - ownParameters;
const executed = `${ownPrefix}enter`;

export interface EnterCall {
  /** The client's text of the statement. */
  readonly text: Buffer;
  /** What the names in it were taken for, as JSON. */
  readonly relations: string;
  /** Settings for the statement's triggers, as JSON. */
  readonly options: string;
  /** The search path under which the names were resolved. */
  readonly path: string;
  readonly onError: ErrorHandler;
}

/**
 * Sends the call with the client's own parameter bytes; the server makes JSON of them.
 * @throws StageError when there are so many parameters that ours do not fit beside them
 */
export function enter(own: OwnMessages, call: EnterCall, parameters: Parameters): void {
  const { types, formats, values } = parameters;
  if (values.length > maxParameters) throw tooMany(values.length);
  own.run(enterStatement(types), {
    values: [call.text, ...[call.relations, call.options, call.path].map(Buffer.from), ...values],
    formats: formats.includes(1) ? [...Array<number>(ownParameters).fill(0), ...formats] : [],
    onError: call.onError,
  });
}

/** Sends the call for an SQL EXECUTE, whose arguments are expressions: the server evaluates them as it does there. */
export function enterWithExpressions(
  own: OwnMessages,
  call: EnterCall,
  types: readonly number[],
  expressions: readonly Buffer[],
): void {
  const given = [call.text.toString(), call.relations, call.options, call.path].map(quoteLiteral);
  const list = [...given, ...expressions.map(String)].join(', ');
  own.prepare(executed, enterStatement(types), call.onError);
  own.run({ text: `EXECUTE ${executed} (${list})` }, { onError: call.onError });
}

/** An array of jsonb takes any number of elements, a function's arguments only a hundred. */
function enterStatement(types: readonly number[]): OwnStatement {
  const elements = types.map((_, index) => `pg_catalog.to_jsonb($${index + 1 + ownParameters})`);
  const list =
    types.length === 0
      ? `'[]'`
      : `pg_catalog.to_jsonb(ARRAY[${elements.join(', ')}])::pg_catalog.text`;
  return {
    text: `SELECT stage.enter($1, ${list}, $2, $3, $4)`,
    types: [...Array<number>(ownParameters).fill(text), ...types],
  };
}

function tooMany(count: number): StageError {
  return new StageError(
    'statement_not_supported',
    `a staged statement cannot have ${count} parameters`,
    { sqlstate: '54000', hint: `Use at most ${maxParameters}.` },
  );
}
