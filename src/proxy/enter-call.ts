/** The call of stage.enter that comes before every staged statement: verifies its names, hands over what is to be logged. */
import { quoteLiteral } from '../db/identifier.ts';
import { StageError } from '../errors.ts';
import type { ErrorHandler } from './expectation.ts';
import type { OwnMessages, OwnStatement } from './own-messages.ts';
import type { Parameters } from './prepared-statements.ts';
import { ownPrefix } from './reserved-names.ts';

/** OID of text. */
const text = 25;
/** The text, the names and the options come before the client's parameters. */
const ownParameters = 3;
const maxParameters = 65_535 - ownParameters;
/** As many signatures keep a statement of ours upstream; when there are more, all are made anew. */
const maxSignatures = 200;

export interface EnterCall {
  /** The client's text of the statement. */
  readonly text: Buffer;
  /** What the names in it were taken for, as JSON. */
  readonly relations: string;
  /** Settings for the statement's triggers, as JSON. */
  readonly options: string;
  readonly onError: ErrorHandler;
}

export class EnterCalls {
  private readonly own: OwnMessages;
  private readonly bySignature = new Map<string, OwnStatement>();
  private made = 0;

  constructor(own: OwnMessages) {
    this.own = own;
  }

  /**
   * Sends the call with the client's own parameter bytes; the server makes JSON of them.
   * @throws StageError when there are so many parameters that ours do not fit beside them
   */
  enter(call: EnterCall, parameters: Parameters): void {
    const { types, formats, values } = parameters;
    if (values.length > maxParameters) throw tooMany(values.length);
    this.own.run(this.statementFor(types), {
      values: [call.text, Buffer.from(call.relations), Buffer.from(call.options), ...values],
      formats: formats.includes(1) ? [0, 0, 0, ...formats] : [],
      onError: call.onError,
    });
  }

  /** Sends the call for an SQL EXECUTE, whose arguments are expressions: the server evaluates them as it does there. */
  enterWithExpressions(
    call: EnterCall,
    types: readonly number[],
    expressions: readonly Buffer[],
  ): void {
    const statement = this.statementFor(types);
    const own = [call.text.toString(), call.relations, call.options].map(quoteLiteral);
    const list = [...own, ...expressions.map(String)].join(', ');
    this.own.prepare(statement, call.onError);
    this.own.runOnce(`EXECUTE ${ownPrefix}${statement.name} (${list})`, call.onError);
  }

  private statementFor(types: readonly number[]): OwnStatement {
    const signature = types.join(',');
    const known = this.bySignature.get(signature);
    if (known) return known;
    if (this.bySignature.size === maxSignatures) this.dropAll();
    const statement = {
      name: `enter_${this.made}`,
      text: enterText(types.length),
      types: [text, text, text, ...types],
    };
    this.made += 1;
    this.bySignature.set(signature, statement);
    return statement;
  }

  private dropAll(): void {
    for (const { name } of this.bySignature.values()) this.own.drop(name);
    this.bySignature.clear();
  }
}

/** An array of jsonb takes any number of elements, a function's arguments only a hundred. */
function enterText(parameters: number): string {
  const elements = Array.from(
    { length: parameters },
    (_, index) => `pg_catalog.to_jsonb($${index + 1 + ownParameters})`,
  );
  const list =
    parameters === 0
      ? `'[]'`
      : `pg_catalog.to_jsonb(ARRAY[${elements.join(', ')}])::pg_catalog.text`;
  return `SELECT stage.enter($1, ${list}, $2, $3)`;
}

function tooMany(count: number): StageError {
  return new StageError(
    'statement_not_supported',
    `a staged statement cannot have ${count} parameters`,
    { sqlstate: '54000', hint: `Use at most ${maxParameters}.` },
  );
}
