/**
 * The condition of `diff --where`: a small subset of SQL over the columns of a changed row, evaluated here and not by a database.
 * `price` is the column on either side, `from_price` the one before the change, `to_price` the one after it.
 */
import type { Row, Value } from '../../client/values.ts';
import { isNull, plainText } from '../../client/values.ts';
import type { Operator } from './compare.ts';
import { compare } from './compare.ts';
import type { Token } from './where-tokens.ts';
import { tokensOf } from './where-tokens.ts';

/** The two sides of a changed row; null if a side has no row. */
export interface Sides {
  readonly before: Row | null;
  readonly after: Row | null;
}

/** A truth value of SQL; null is unknown. */
type Verdict = boolean | null;
type Test = (value: Value) => Verdict;

export interface Where {
  /** Evaluates the condition for a change. */
  readonly holds: (sides: Sides) => Verdict;
  /** The columns that it names, as written. */
  readonly columns: readonly string[];
}

/** Parses a condition. @throws SyntaxError with what was expected */
export function parseWhere(text: string): Where {
  const parser = new WhereParser(tokensOf(text));
  const holds = parser.parse();
  return { holds, columns: parser.columns };
}

/** Returns a name without its prefix `from_` or `to_`. */
export function columnOf(name: string): string {
  return name.replace(/^(?:from|to)_/, '');
}

class WhereParser {
  readonly columns: string[] = [];
  readonly #tokens: Token[];

  constructor(tokens: Token[]) {
    this.#tokens = tokens;
  }

  parse(): Where['holds'] {
    const condition = this.#any();
    if (this.#tokens[0]?.kind !== 'end') throw this.#expected('AND or OR');
    return condition;
  }

  #any(): Where['holds'] {
    const terms = [this.#all()];
    while (this.#takes('or')) terms.push(this.#all());
    return (sides) => either(terms.map((term) => term(sides)));
  }

  #all(): Where['holds'] {
    const terms = [this.#not()];
    while (this.#takes('and')) terms.push(this.#not());
    return (sides) => not(either(terms.map((term) => not(term(sides)))));
  }

  #not(): Where['holds'] {
    if (this.#takes('not')) {
      const inner = this.#not();
      return (sides) => not(inner(sides));
    }
    if (!this.#takes('(')) return this.#comparison();
    const inner = this.#any();
    if (!this.#takes(')')) throw this.#expected(')');
    return inner;
  }

  #comparison(): Where['holds'] {
    const name = this.#take(['word', 'name'], 'a column').text;
    this.columns.push(name);
    const test = this.#test();
    return (sides) => either(valuesOf(name, sides).map(test));
  }

  #test(): Test {
    if (this.#takes('is')) {
      const wanted = !this.#takes('not');
      if (!this.#takes('null')) throw this.#expected('NULL');
      return (value) => isNull(value) === wanted;
    }
    if (this.#takes('not')) {
      const inner = this.#listOrPattern();
      return (value) => not(inner(value));
    }
    const operator = operators.find((sign) => this.#takes(sign));
    return operator ? this.#literal(operator === '!=' ? '<>' : operator) : this.#listOrPattern();
  }

  #listOrPattern(): Test {
    if (this.#takes('in')) return this.#list();
    const form = this.#takes('ilike') ? 'iu' : this.#takes('like') ? 'u' : null;
    if (form === null) throw this.#expected('=, <>, <, <=, >, >=, IS, IN, LIKE or ILIKE');
    const pattern = likePattern(this.#take(['text'], "a pattern such as 'a%'").text, form);
    return (value) => {
      const text = plainText(value);
      return text === null ? null : pattern.test(text);
    };
  }

  #list(): Test {
    if (!this.#takes('(')) throw this.#expected('(');
    const tests = [this.#literal('=')];
    while (this.#takes(',')) tests.push(this.#literal('='));
    if (!this.#takes(')')) throw this.#expected(')');
    return (value) => either(tests.map((test) => test(value)));
  }

  #literal(operator: Operator): Test {
    const constant = ['true', 'false'].find((word) => this.#takes(word));
    if (constant) return (value) => compare(value, operator, { kind: 'text', text: constant });
    const { kind, text } = this.#take(['text', 'number'], "a number or a text such as 'paid'");
    return (value) => compare(value, operator, { kind: kind === 'number' ? kind : 'text', text });
  }

  /** Takes the next token if it is the given sign or keyword. */
  #takes(word: string): boolean {
    const [next] = this.#tokens;
    const is = next?.kind === 'sign' || next?.kind === 'word';
    if (!is || next.text.toLowerCase() !== word) return false;
    this.#tokens.shift();
    return true;
  }

  #take(kinds: readonly Token['kind'][], expected: string): Token {
    const [next] = this.#tokens;
    if (!next || !kinds.includes(next.kind)) throw this.#expected(expected);
    this.#tokens.shift();
    return next;
  }

  #expected(what: string): SyntaxError {
    const [next] = this.#tokens;
    const place =
      next && next.kind !== 'end' ? `before ${JSON.stringify(next.text)}` : 'at its end';
    return new SyntaxError(`lacks ${what} ${place}`);
  }
}

const operators: readonly (Operator | '!=')[] = ['=', '<>', '!=', '<', '<=', '>', '>='];

/** Returns the values of a column. A column of exactly this name takes precedence over a prefix. */
function valuesOf(name: string, { before, after }: Sides): Value[] {
  const values = [before?.get(name), after?.get(name)].filter((value) => value !== undefined);
  if (values.length > 0 || columnOf(name) === name) return values;
  const side = name.startsWith('from_') ? before : after;
  const value = side?.get(columnOf(name));
  return value === undefined ? [] : [value];
}

function not(verdict: Verdict): Verdict {
  return verdict === null ? null : !verdict;
}

/** Returns the OR of verdicts, as in SQL; unknown without verdicts. */
function either(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes(true)) return true;
  return verdicts.length === 0 || verdicts.includes(null) ? null : false;
}

/** Returns the regular expression of a LIKE pattern. */
function likePattern(pattern: string, flags: string): RegExp {
  const parts = [...pattern.matchAll(/\\(.)|[\s\S]/gu)].map(([sign, escaped]) => {
    if (sign === '%') return '.*';
    if (sign === '_') return '.';
    return (escaped ?? sign).replace(/[\\^$.*+?()[\]{}|/]/u, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`, `s${flags}`);
}
