/**
 * The shape of a query: its text with a mark in place of each literal. Texts of one shape have the same tokens except for the values of
 * numbers and strings, so PostgreSQL's grammar parses them to the same tree.
 * https://www.postgresql.org/docs/current/sql-syntax-lexical.html
 */

/** The bytes that replace a literal; a text with such bytes has no shape. The grammar distinguishes 32-bit integers from other numbers. */
const marks = { string: 0x01, integer: 0x02, number: 0x03 } as const;

const maxBytes = 4096;
const maxInteger = 2_147_483_647;

/** The classes of bytes that matter. All other bytes belong to no literal and are copied. */
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

/** Returns the start of the first literal. All texts of the shape have the same bytes before it. */
export function firstLiteral(shape: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the marks
  const place = shape.search(/[\u0001-\u0003]/);
  return place === -1 ? shape.length : place;
}

/** Reads one text at a time. Its private methods return -1 as a position if the text has no shape. */
export class ShapeReader {
  private readonly shape = Buffer.allocUnsafeSlow(maxBytes);
  private text: Buffer = this.shape;
  private length = 0;

  /**
   * Returns a text's shape; null if the text is too long, or if anything in it cannot be distinguished from a literal with certainty.
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

  /** Reads the token at a position. Returns the position after it. */
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
    // A string with a prefix: E, B, X, N.
    return this.text[end] === codes.quote ? -1 : this.copy(start, end);
  }

  /** Reads digits, or digits with a decimal point between. Other forms of numbers have no shape. */
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

  /** Reads a string that has no quote and no backslash in it and is not continued by another literal. */
  private string(start: number): number {
    if (this.text[start - 1] === codes.and) return -1;
    const end = this.text.indexOf(codes.quote, start + 1) + 1;
    if (end === 0 || this.hasBackslash(start, end)) return -1;
    let next = end;
    while (this.kindAt(next) === kinds.space) next += 1;
    return this.text[next] === codes.quote ? -1 : this.mark(marks.string, end);
  }

  /** Copies a quoted name up to its closing quote. A name with doubled quotes is read as several names. */
  private quotedName(start: number): number {
    // After a name with Unicode escapes (`U&"..."`), a string may define the escape character.
    // guard: no literal is taken out of a Unicode escape
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
