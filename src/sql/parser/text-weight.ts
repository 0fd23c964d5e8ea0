/**
 * Estimates the parser's work for a text. Length is a poor measure: a long literal costs nearly nothing, and a short run of operator
 * letters costs a lot. The estimate is never below the actual work, and often above it.
 */
import { TextScan } from './text-scan.ts';

/** The cost of a statement in addition to its tokens. */
const statementWeight = 10;

/** The number of letters that the scanner reads in the time in which the parser handles one token. */
const lettersPerToken = 100;

/** A text of this weight parses in about a second: 250,000 elements of a list. */
export const maxWeight = 500_000;

/** A text of this weight blocks the thread for some 10 ms. Texts of at most `lightBytes` are always light, so they need no scan. */
const lightWeight = 5000;
const lightBytes = 450;
/** Literals and comments have no weight, but are copied. */
const longBytes = 32 * 1024;

const [semicolon, comma, equals] = Buffer.from(';,=') as unknown as [number, number, number];
/** The effect of a token on lists, by its first byte. */
const kinds = { none: 0, opens: 1, closes: 2, word: 3, sign: 4 } as const;
const kindOf = new Uint8Array(256);
for (const byte of Buffer.from('([')) kindOf[byte] = kinds.opens;
for (const byte of Buffer.from(')]')) kindOf[byte] = kinds.closes;
for (const byte of Buffer.from('sS')) kindOf[byte] = kinds.word;
for (const byte of [semicolon, comma, equals]) kindOf[byte] = kinds.sign;

/**
 * Returns whether a text may be parsed in the main thread.
 * @param times factor on the usual limits
 */
export function isLight(text: Buffer, times = 1): boolean {
  if (text.length <= lightBytes) return true;
  const most = lightWeight * times;
  return text.length <= longBytes * times && weightOf(text, most) <= most;
}

/**
 * Returns the weight of a text in tokens (words, numbers, literals, signs, comments). Counting stops above `most`; the result is then any
 * number above it. Returns Infinity if a run of operator letters is too long to be scanned.
 */
export function weightOf(text: Buffer, most: number): number {
  const scan = new TextScan(text);
  const lists = new Lists();
  let tokens = 0;
  let start = scan.next();
  const read = () => scan.comments + scan.reread / lettersPerToken;
  while (start >= 0 && tokens + read() <= most) {
    const byte = text[start] as number;
    tokens += (byte === semicolon ? 1 + statementWeight : 1) * lists.read(text, byte, start);
    start = scan.next();
  }
  return tokens + read();
}

/** The state of one pair of parentheses, up to the current token. */
interface List {
  /** How often the tree repeats its contents; `now` is the same for the current token. */
  readonly repeats: number;
  now: number;
  elements: number;
  /** Whether it may be the target list of an assignment. */
  readonly mayAssign: boolean;
}

/** Tracks repetition by lists. The tree of `SET (a, b, c) = (SELECT ...)` has the query once per column, and so on for nested queries. */
class Lists {
  private open: List[] = [];
  private current = listOf(1, false);
  private closed: List | null = null;
  private isBehindSet = false;

  /** Reads a token and returns how often the tree repeats it. */
  read(text: Buffer, byte: number, start: number): number {
    const { closed, isBehindSet } = this;
    const kind = kindOf[byte];
    this.closed = null;
    this.isBehindSet = byte === comma || (kind === kinds.word && isSet(text, start));
    if (kind === kinds.none) return this.current.now;
    if (kind === kinds.opens) {
      this.open.push(this.current);
      this.current = listOf(this.current.now, isBehindSet);
    } else if (kind === kinds.closes) {
      this.closed = this.current;
      this.current = this.open.pop() ?? listOf(1, false);
    } else if (byte === comma) {
      this.current.elements += 1;
      this.current.now = this.current.repeats;
    } else if (byte === semicolon) {
      this.open = [];
      this.current = listOf(1, false);
    }
    // guard: elements that the tree repeats count as often
    else if (byte === equals && closed?.mayAssign) this.repeat(closed.elements);
    return this.current.now;
  }

  private repeat(elements: number): void {
    const { current } = this;
    current.now = Math.max(current.now, current.repeats * elements);
  }
}

const listOf = (repeats: number, mayAssign: boolean): List => {
  return { repeats, now: repeats, elements: 1, mayAssign };
};

const [s, e, t] = Buffer.from('set') as unknown as [number, number, number];

function isSet(text: Buffer, start: number): boolean {
  const lower = (at: number) => (text[at] ?? 0) | 0x20;
  return lower(start) === s && lower(start + 1) === e && lower(start + 2) === t;
}
