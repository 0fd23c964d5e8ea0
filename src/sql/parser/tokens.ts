/** The tokens of a statement, and ways through them that skip what stands in parentheses. */
import type { ScanToken } from 'libpg-query';
import type { ByteRange } from '../splice.ts';
import { scanTokens } from './parser.ts';

/** What opens a part, and what closes it. */
type Nesting = ReadonlyMap<string, 'opens' | 'closes'>;

const parentheses: Nesting = new Map([
  ['(', 'opens'],
  ['[', 'opens'],
  [')', 'closes'],
  [']', 'closes'],
]);

/** In an expression CASE has words of its own, as a parenthesis has. */
export const withCases: Nesting = new Map([...parentheses, ['case', 'opens'], ['end', 'closes']]);

export class Tokens {
  readonly list: readonly ScanToken[];
  private readonly text: Buffer;
  /** Of the text that was asked for last. */
  private static last: Tokens | null = null;

  private constructor(text: Buffer) {
    this.text = text;
    this.list = scanTokens(text);
  }

  /**
   * Returns the tokens of a text, which is scanned once however many of its parts are looked for one after the other.
   * @param text one that has been parsed
   */
  static of(text: Buffer): Tokens {
    const known = Tokens.last?.text === text ? Tokens.last : new Tokens(text);
    Tokens.last = known;
    return known;
  }

  get length(): number {
    return this.list.length;
  }

  /** A keyword in lower case, or a character such as `(`; empty for names and constants. Behind a dot there are names alone. */
  word(at: number): string {
    const token = this.list[at];
    if (token === undefined || this.list[at - 1]?.text === '.') return '';
    if (token.keywordKind !== 0) return token.text.toLowerCase();
    return /^\W$/.test(token.text) ? token.text : '';
  }

  /** The token that begins at a byte; -1 if none does. */
  at(start: number): number {
    const first = this.from(start);
    return this.list[first]?.start === start ? first : -1;
  }

  /** The first token that begins at a byte or behind it; without one, the number of tokens. */
  from(start: number): number {
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.list[middle]?.start ?? 0) < start) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * The tokens from one on that stand in no parentheses which open there, up to the end of what that one stands in: what closes
   * it comes last.
   */
  *outermost(from: number, nesting = parentheses): Generator<number> {
    let depth = 0;
    for (let at = from; at < this.length && depth >= 0; at += 1) {
      const nests = nesting.get(this.word(at));
      if (nests === 'closes') depth -= 1;
      if (nests === 'opens') depth += 1;
      else if (depth < 0 || (depth === 0 && nests === undefined)) yield at;
    }
  }

  /** The first of some words from a token on, outside of parentheses; without one, what closes the part, or the number of tokens. */
  find(words: readonly string[], from = 0, nesting = parentheses): number {
    for (const at of this.outermost(from, nesting)) {
      const word = this.word(at);
      if (words.includes(word) || nesting.has(word)) return at;
    }
    return this.length;
  }

  /** The elements of a list that stands between two tokens: from which token on each, and up to which. */
  elements(before: number, after: number): { from: number; to: number }[] {
    const isComma = (at: number) => at < after && this.word(at) === ',';
    const bounds = [before, ...[...this.outermost(before + 1)].filter(isComma), after];
    return bounds.slice(1).flatMap((to, index) => {
      const from = (bounds[index] ?? 0) + 1;
      return from < to ? [{ from, to }] : [];
    });
  }

  /** The bytes from a token on up to another one, without it. */
  range(from: number, to: number): ByteRange {
    return { start: this.list[from]?.start ?? 0, end: this.list[to - 1]?.end ?? 0 };
  }
}
