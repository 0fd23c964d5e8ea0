/** The tokens of a statement, with searches that skip nested parentheses. */
import type { ScanToken } from 'libpg-query';
import type { ByteRange } from '../splice.ts';
import { scanTokens } from './parser.ts';

/** The words that open and close a nested part. */
type Nesting = ReadonlyMap<string, 'opens' | 'closes'>;

const parentheses: Nesting = new Map([
  ['(', 'opens'],
  ['[', 'opens'],
  [')', 'closes'],
  [']', 'closes'],
]);

/** Nesting for expressions, where CASE and END nest like parentheses. */
export const withCases: Nesting = new Map([...parentheses, ['case', 'opens'], ['end', 'closes']]);

export class Tokens {
  readonly list: readonly ScanToken[];
  private readonly text: Buffer;
  /** The tokens of the last requested text. */
  private static last: Tokens | null = null;

  private constructor(text: Buffer) {
    this.text = text;
    this.list = scanTokens(text);
  }

  /**
   * Returns the tokens of a text. Consecutive calls for the same text scan it once.
   * @param text a text that has been parsed
   */
  static of(text: Buffer): Tokens {
    const known = Tokens.last?.text === text ? Tokens.last : new Tokens(text);
    Tokens.last = known;
    return known;
  }

  get length(): number {
    return this.list.length;
  }

  /** Returns a keyword in lower case, or a character such as `(`; empty for names and constants. After a dot there are only names. */
  word(at: number): string {
    const token = this.list[at];
    if (token === undefined || this.list[at - 1]?.text === '.') return '';
    if (token.keywordKind !== 0) return token.text.toLowerCase();
    return /^\W$/.test(token.text) ? token.text : '';
  }

  /** Returns the index of the token that begins at a byte; -1 if none does. */
  at(start: number): number {
    const first = this.from(start);
    return this.list[first]?.start === start ? first : -1;
  }

  /** Returns the index of the first token that begins at or after a byte; the number of tokens if there is none. */
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
   * Yields the tokens from an index on, outside of parentheses that open there, up to the end of the enclosing part. The closing token of
   * that part comes last.
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

  /**
   * Returns the first of some words from a token on, outside of parentheses; else the closing token of the part, or the number of tokens.
   */
  find(words: readonly string[], from = 0, nesting = parentheses): number {
    for (const at of this.outermost(from, nesting)) {
      const word = this.word(at);
      if (words.includes(word) || nesting.has(word)) return at;
    }
    return this.length;
  }

  /** Returns the elements of a list between two tokens: the first token of each, and the token after its last. */
  elements(before: number, after: number): { from: number; to: number }[] {
    const isComma = (at: number) => at < after && this.word(at) === ',';
    const bounds = [before, ...[...this.outermost(before + 1)].filter(isComma), after];
    return bounds.slice(1).flatMap((to, index) => {
      const from = (bounds[index] ?? 0) + 1;
      return from < to ? [{ from, to }] : [];
    });
  }

  /** Returns the bytes from one token up to another, exclusive. */
  range(from: number, to: number): ByteRange {
    return { start: this.list[from]?.start ?? 0, end: this.list[to - 1]?.end ?? 0 };
  }
}
