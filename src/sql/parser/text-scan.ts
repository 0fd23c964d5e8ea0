/**
 * Scans a text token by token like PostgreSQL's scanner, but faster. Where the two differ, this one finds more tokens. It also counts the
 * letters that PostgreSQL's scanner rereads: at an operator letter or the start of a comment, that scanner reads to the end of the run of
 * operator letters, takes one or two of them and pushes the rest back.
 */

/** Maximum length of a run of operator letters that is reread at every letter. */
export const longestRun = 1000;
const mostReread = (longestRun * (longestRun + 1)) / 2;

const [quote, doubleQuote, dollar, dash, slash, star, backslash] = Buffer.from(
  `'"$-/*\\`,
) as unknown as readonly [number, number, number, number, number, number, number];

const isWord = new Uint8Array(256).map((_, byte) =>
  byte >= 0x80 || /[\w$]/.test(String.fromCharCode(byte)) ? 1 : 0,
);
/** `op_chars` in scan.l. */
const isOperator = new Uint8Array(256);
for (const byte of Buffer.from('~!@#^&|`?+-*/%<>=')) isOperator[byte] = 1;

export class TextScan {
  private readonly text: Buffer;
  /** The end of the last token read. */
  at = 0;
  /** The number of letters that PostgreSQL's scanner rereads; infinite if it rereads a single run too often. */
  reread = 0;
  /** The number of comments. A text that fails to parse is parsed again without them. */
  comments = 0;
  private rereadInRun = 0;
  private runEnd = 0;
  /** Whether backslashes escape in a literal that follows now: it then continues one that began with E. */
  private hasEscapes = false;

  constructor(text: Buffer) {
    this.text = text;
  }

  /** Reads the next token and returns its start; -1 after the last one. */
  next(): number {
    this.skipSpace();
    const start = this.at;
    const byte = this.text[start];
    if (byte === undefined) return -1;
    if (byte === quote) {
      this.at = this.hasEscapes ? this.afterEscaped(start + 1) : this.after("'", start + 1);
      return start;
    }
    this.hasEscapes = false;
    if (byte === doubleQuote) this.at = this.after('"', start + 1);
    else if (byte === dollar) this.at = this.afterDollarQuoted(start);
    else if (isWord[byte]) this.readWord(byte);
    else {
      if (isOperator[byte]) this.noteRun();
      this.at += 1;
    }
    return start;
  }

  private readWord(first: number): void {
    const { text } = this;
    const start = this.at;
    let at = start + 1;
    while (isWord[text[at] ?? 0]) at += 1;
    this.at = at;
    this.hasEscapes = at === start + 1 && (first | 0x20) === 0x65 && text[at] === quote;
  }

  private skipSpace(): void {
    const { text } = this;
    for (;;) {
      const byte = text[this.at] ?? 0x7f;
      const next = text[this.at + 1];
      if (byte <= 0x20) this.at += 1;
      else if (byte === dash && next === dash) this.at = this.after('\n', this.at);
      else if (byte === slash && next === star) this.skipComment();
      else return;
      if (byte > 0x20) this.comments += 1;
    }
  }

  /** Block comments nest. */
  private skipComment(): void {
    const { text } = this;
    let depth = 0;
    do {
      const byte = text[this.at];
      const next = text[this.at + 1];
      if (byte === slash && next === star) {
        this.noteRun();
        depth += 1;
        this.at += 2;
      } else if (byte === star && next === slash) {
        depth -= 1;
        this.at += 2;
      } else this.at += 1;
    } while (depth > 0 && this.at < text.length);
  }

  /** Counts the rest of the run, which the scanner reads from here. */
  private noteRun(): void {
    const { text, at } = this;
    if (at >= this.runEnd) {
      this.rereadInRun = 0;
      let end = at + 1;
      while (isOperator[text[end] ?? 0]) end += 1;
      this.runEnd = end;
    }
    this.reread += this.runEnd - at - 1;
    this.rereadInRun += this.runEnd - at - 1;
    // guard: a run of operator letters has a largest length
    if (this.rereadInRun >= mostReread) this.reread = Number.POSITIVE_INFINITY;
  }

  /** Returns the end of a literal that began with E: the first unescaped quote. A doubled quote begins another piece. */
  private afterEscaped(from: number): number {
    const { text } = this;
    let at = from;
    while (at < text.length && text[at] !== quote) at += text[at] === backslash ? 2 : 1;
    return at + 1;
  }

  private afterDollarQuoted(start: number): number {
    const { text } = this;
    let end = start + 1;
    while (isWord[text[end] ?? 0] && text[end] !== dollar) end += 1;
    const first = text[start + 1] as number;
    const isDigit = first >= 0x30 && first <= 0x39;
    if (text[end] !== dollar || isDigit) return end;
    return this.after(text.subarray(start, end + 1), end + 1);
  }

  private after(what: string | Buffer, from: number): number {
    const found = this.text.indexOf(what, from);
    return found < 0 ? this.text.length : found + what.length;
  }
}
