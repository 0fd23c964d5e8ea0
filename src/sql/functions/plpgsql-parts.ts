/** Locates the expressions of a PL/pgSQL body in its text: the parser does not return their places. */
import type { ScanToken } from 'libpg-query';
import { scanTokens } from '../parser/parser.ts';
import type { ByteRange } from '../splice.ts';
import type { BodyUses } from './body-uses.ts';
import { movedUses } from './body-uses.ts';
import type { DynamicText } from './dynamic-text.ts';

/** A text that the body runs by EXECUTE, and the names in it. */
export interface RunText extends DynamicText {
  /** Places count from the number `base` on, which is behind all places of the body. */
  readonly uses: BodyUses;
  readonly base: number;
}

export interface Expression {
  readonly text: Buffer;
  readonly uses: BodyUses;
  /** Set if it yields a text that is run. */
  readonly run?: RunText;
}

/** An expression or query of the body. */
export interface Part extends Expression {
  /** The body's token for each token of the part; empty if the part names nothing. */
  readonly places: readonly ScanToken[];
}

/** Locates the expressions that name something. The longer ones come first, because a shorter one may occur within them. */
export function locateParts(
  tokens: readonly ScanToken[],
  expressions: readonly Expression[],
): Part[] | null {
  const taken = new Set<number>();
  const found = new Map<Expression, readonly ScanToken[]>();
  const naming = expressions
    .filter(
      ({ run, uses: { relations, called, qualifiers, locking } }) =>
        run !== undefined ||
        [relations, called, qualifiers, locking].some(({ length }) => length > 0),
    )
    .map((expression) => ({ expression, own: scanTokens(expression.text) }))
    .sort((one, other) => other.own.length - one.own.length);
  for (const { expression, own } of naming) {
    const indexes = findTokens(tokens, own, taken, expression.run !== undefined);
    if (indexes === null) return null;
    for (const index of indexes) taken.add(index);
    found.set(
      expression,
      indexes.flatMap((index) => tokens[index] ?? []),
    );
  }
  return expressions.map((each) => ({ ...each, places: found.get(each) ?? [] }));
}

function findTokens(
  tokens: readonly ScanToken[],
  own: readonly ScanToken[],
  taken: ReadonlySet<number>,
  isRun: boolean,
): number[] | null {
  for (let start = 0; start < tokens.length; start += 1) {
    const isHere = !isRun || tokens[start - 1]?.text.toLowerCase() === 'execute';
    const indexes = taken.has(start) || !isHere ? null : matchTokens(tokens, own, start);
    if (indexes?.every((index) => !taken.has(index))) return indexes;
  }
  return null;
}

/** Matches an expression's tokens in the body. There PL/pgSQL has removed INTO with its targets, and replaced PERFORM by SELECT. */
function matchTokens(
  tokens: readonly ScanToken[],
  own: readonly ScanToken[],
  start: number,
): number[] | null {
  const indexes: number[] = [];
  let at = start;
  for (const { text } of own) {
    if (tokens[at]?.text.toLowerCase() === 'into' && text.toLowerCase() !== 'into')
      while (at < tokens.length && ![text, ';'].includes(tokens[at]?.text ?? '')) at += 1;
    const is = tokens[at]?.text;
    const isPerform = at === start && text === 'SELECT' && is?.toLowerCase() === 'perform';
    if (is !== text && !isPerform) return null;
    indexes.push(at);
    at += 1;
  }
  return indexes;
}

/** Returns the uses of a part with their places in the body. */
export function inBody(part: Part): BodyUses {
  if (part.places.length === 0) return part.uses;
  const own = scanTokens(part.text);
  const edges = new Map(
    own.flatMap(({ start, end }, index) => {
      const token = part.places[index];
      return token ? [[start, token.start] as const, [end, token.end] as const] : [];
    }),
  );
  return movedUses(part.uses, (at) => edges.get(at) ?? Number.NaN);
}

/** Returns the place of a part in the body, which it has if it names something. */
export const placeOf = ({ places }: Part): ByteRange => ({
  start: places[0]?.start ?? Number.NaN,
  end: places.at(-1)?.end ?? Number.NaN,
});
