/**
 * The shape of a query: its text with a mark in place of each literal. Texts of one shape are made of the same tokens, in
 * which only the values of numbers and strings differ, so that PostgreSQL's grammar gives them the same tree.
 * https://www.postgresql.org/docs/current/sql-syntax-lexical.html
 */

/** What stands for a literal; no text with such bytes has a shape. The grammar tells integers of 32 bits from other numbers. */
const marks = { string: 0x01, integer: 0x02, number: 0x03 } as const;

const maxBytes = 4096;
const maxInteger = 2_147_483_647;

/** The kinds of bytes that matter; whatever else there is belongs to no literal, and nothing of it is looked into. */
const kinds = { other: 0, space: 1, letter: 2, digit: 3, never: 4 } as const;
const kindOf = new Uint8Array(256).map((_, byte) => {
  const char = String.fromCharCode(byte);
  if (/[\t\n\r ]/.test(char)) return kinds.space;
  if (/[a-zA-Z_]/.test(char) || byte >= 0x80) return kinds.letter;
  if (/[0-9]/.test(char)) return kinds.digit;
  // dollar quotes and parameters, escapes, control characters
  return char === '$' || char === '\\' || byte < 0x20 || byte === 0x7f ? kinds.never : kinds.other;
});

const codes = {
  quote: 0x27,
  doubleQuote: 0x22,
  dot: 0x2e,
  and: 0x26,
  minus: 0x2d,
  slash: 0x2f,
  star: 0x2a,
};

/** Where the first literal begins, in every text of the shape: what stands before is the same, byte by byte. */
export function firstLiteral(shape: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the marks
  const place = shape.search(/[\u0001-\u0003]/);
  return place === -1 ? shape.length : place;
}

/** Reads one text after the other; a place is -1 where the text turns out to have no shape. */
export class ShapeReader {
  private readonly shape = Buffer.allocUnsafeSlow(maxBytes);
  private text: Buffer = this.shape;
  private length = 0;

  /**
   * Gives a text's shape, or null where it is too long or has anything in it that is not surely told from a literal.
   * @param text in UTF-8, without zero bytes
   */
  read(text: Buffer): string | null {
    if (text.length > maxBytes) return null;
    this.text = text;
    this.length = 0;
    for (let at = 0; at < text.length; ) {
      at = this.token(at, text[at] as number);
      if (at === -1) return null;
    }
    return this.shape.toString('latin1', 0, this.length);
  }

  /** Reads what begins at a place, and gives the place behind it. */
  private token(at: number, byte: number): number {
    switch (kindOf[byte]) {
      case kinds.letter:
        return this.word(at);
      case kinds.digit:
        return this.number(at);
      case kinds.never:
        return -1;
      default:
    }
    if (byte === codes.quote) return this.string(at);
    if (byte === codes.doubleQuote) return this.quotedName(at);
    const next = this.text[at + 1];
    const isComment =
      (byte === codes.minus && next === codes.minus) ||
      (byte === codes.slash && next === codes.star);
    return isComment ? -1 : this.copy(at, at + 1);
  }

  private word(start: number): number {
    let end = start + 1;
    while (this.kindAt(end) === kinds.letter || this.kindAt(end) === kinds.digit) end += 1;
    // The prefix of a string of another kind: E, B, X, N.
    return this.text[end] === codes.quote ? -1 : this.copy(start, end);
  }

  /** Digits, or digits with a point between. Whatever else a number may be written with is left alone. */
  private number(start: number): number {
    if (this.text[start - 1] === codes.dot) return -1;
    let value = 0;
    let end = start;
    for (; this.kindAt(end) === kinds.digit; end += 1)
      value = value * 10 + (this.text[end] as number) - 0x30;
    let mark: number = value <= maxInteger ? marks.integer : marks.number;
    if (this.text[end] === codes.dot) {
      mark = marks.number;
      const fraction = end + 1;
      for (end = fraction; this.kindAt(end) === kinds.digit; ) end += 1;
      if (end === fraction) return -1;
    }
    const next = this.text[end];
    const goesOn = this.kindAt(end) === kinds.letter || next === codes.dot || next === codes.quote;
    return goesOn ? -1 : this.mark(mark, end);
  }

  /** A string without quotes in it, of a kind without escapes, which is not continued on another line. */
  private string(start: number): number {
    if (this.text[start - 1] === codes.and) return -1;
    const end = this.text.indexOf(codes.quote, start + 1) + 1;
    if (end === 0 || this.hasBackslash(start, end)) return -1;
    let next = end;
    while (this.kindAt(next) === kinds.space) next += 1;
    return this.text[next] === codes.quote ? -1 : this.mark(marks.string, end);
  }

  /** A name belongs to the shape as it stands, up to its closing quote; doubled quotes are two names to us. */
  private quotedName(start: number): number {
    // A string behind a name in Unicode escapes may say how to read it.
    // guard: no literal is taken out of what it gives a meaning
    if (this.text[start - 1] === codes.and) return -1;
    const end = this.text.indexOf(codes.doubleQuote, start + 1) + 1;
    return end === 0 ? -1 : this.copy(start, end);
  }

  private hasBackslash(start: number, end: number): boolean {
    for (let at = start; at < end; at += 1) if (this.text[at] === 0x5c) return true;
    return false;
  }

  private kindAt(at: number): number | undefined {
    return kindOf[this.text[at] as number];
  }

  private copy(start: number, end: number): number {
    for (let at = start; at < end; at += 1) this.shape[this.length++] = this.text[at] as number;
    return end;
  }

  private mark(mark: number, end: number): number {
    this.shape[this.length++] = mark;
    return end;
  }
}
