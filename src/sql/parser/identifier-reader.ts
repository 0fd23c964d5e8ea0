/** Reads identifiers in a statement's text byte by byte to find their end. The parse tree has only the start. */

export interface NamePart {
  /** The name, folded and unquoted, not truncated to PostgreSQL's 63 bytes. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** A text and the position of the next byte to read. */
interface Cursor {
  readonly text: Buffer;
  at: number;
}

const dot = 0x2e;
const doubleQuote = 0x22;
const quote = 0x27;

/**
 * Reads a dotted name of `count` parts, with the spaces and comments that PostgreSQL allows between them.
 * @returns the parts with their byte ranges, or null if the text is not such a name.
 */
export function readName(text: Buffer, start: number, count: number): readonly NamePart[] | null {
  const parts: NamePart[] = [];
  const cursor = { text, at: start };
  for (let index = 0; index < count; index += 1) {
    if (index > 0 && !skipDot(cursor)) return null;
    const part = readPart(cursor);
    if (!part) return null;
    parts.push(part);
  }
  return parts;
}

/** Returns the position after spaces and comments. */
export function skipSpace(text: Buffer, start: number): number {
  let at = start;
  for (;;) {
    const next = skipComment(text, at);
    if (next !== at) at = next;
    else if (isSpace(text[at])) at += 1;
    else return at;
  }
}

function skipDot(cursor: Cursor): boolean {
  const at = skipSpace(cursor.text, cursor.at);
  if (cursor.text[at] !== dot) return false;
  cursor.at = skipSpace(cursor.text, at + 1);
  return true;
}

function readPart(cursor: Cursor): NamePart | null {
  const start = cursor.at;
  const name = readIdentifier(cursor);
  return name === null ? null : { name, start, end: cursor.at };
}

function readIdentifier(cursor: Cursor): string | null {
  const { text, at } = cursor;
  if (text[at] === doubleQuote) return readQuoted(cursor);
  if (isUnicodePrefix(text, at)) {
    cursor.at += 2;
    return readUnicode(cursor);
  }
  return isNameStart(text[at]) ? readBare(cursor) : null;
}

function readBare(cursor: Cursor): string {
  const start = cursor.at;
  while (isNamePart(cursor.text[cursor.at])) cursor.at += 1;
  const name = cursor.text.toString('utf8', start, cursor.at);
  // PostgreSQL folds only ASCII in UTF-8, so toLowerCase() alone would fold too much.
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function readQuoted(cursor: Cursor): string | null {
  const { text } = cursor;
  const start = cursor.at + 1;
  let end = start;
  for (;;) {
    end = text.indexOf(doubleQuote, end);
    if (end < 0) return null;
    if (text[end + 1] !== doubleQuote) break;
    end += 2;
  }
  cursor.at = end + 1;
  return text.toString('utf8', start, end).replaceAll('""', '"');
}

/** Reads the rest of `U&"..." [UESCAPE 'c']`, with the cursor on the quote. */
function readUnicode(cursor: Cursor): string | null {
  const body = readQuoted(cursor);
  if (body === null) return null;
  const mark = readEscapeClause(cursor);
  return mark === null ? null : unescaped(body, mark);
}

/** Reads `UESCAPE 'c'` if it follows. Returns the escape character; null if the clause is malformed. */
function readEscapeClause(cursor: Cursor): string | null {
  const { text } = cursor;
  const keyword = skipSpace(text, cursor.at);
  const isClause =
    text.toString('latin1', keyword, keyword + 7).toLowerCase() === 'uescape' &&
    !isNamePart(text[keyword + 7]);
  if (!isClause) return '\\';
  const literal = skipSpace(text, keyword + 7);
  if (text[literal] !== quote || text[literal + 2] !== quote) return null;
  cursor.at = literal + 3;
  return text.toString('latin1', literal + 1, literal + 2);
}

/** Resolves `\0061` and `\+000061`. Returns null for any other escape. */
function unescaped(body: string, mark: string): string | null {
  const parts = body.split(mark);
  let name = parts[0] ?? '';
  for (let index = 1; index < parts.length; index += 1) {
    const part = parts[index] ?? '';
    if (part === '' && index + 1 < parts.length) {
      index += 1;
      name += mark + (parts[index] ?? '');
      continue;
    }
    const code = /^(?:\+([\da-f]{6})|([\da-f]{4}))/i.exec(part);
    if (!code) return null;
    const value = Number.parseInt(code[1] ?? code[2] ?? '', 16);
    if (value > 0x10ffff) return null;
    name += String.fromCodePoint(value) + part.slice(code[0].length);
  }
  return name;
}

function skipComment(text: Buffer, at: number): number {
  if (text[at] === 0x2d && text[at + 1] === 0x2d) return skipLine(text, at + 2);
  if (text[at] === 0x2f && text[at + 1] === 0x2a) return skipBlock(text, at);
  return at;
}

function skipLine(text: Buffer, start: number): number {
  let at = start;
  while (at < text.length && text[at] !== 0x0a && text[at] !== 0x0d) at += 1;
  return at;
}

/** Block comments nest. */
function skipBlock(text: Buffer, start: number): number {
  let at = start + 2;
  for (let depth = 1; depth > 0 && at < text.length; ) {
    if (text[at] === 0x2f && text[at + 1] === 0x2a) {
      depth += 1;
      at += 2;
    } else if (text[at] === 0x2a && text[at + 1] === 0x2f) {
      depth -= 1;
      at += 2;
    } else {
      at += 1;
    }
  }
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d);
}

function isUnicodePrefix(text: Buffer, at: number): boolean {
  const first = text[at];
  return (
    (first === 0x55 || first === 0x75) && text[at + 1] === 0x26 && text[at + 2] === doubleQuote
  );
}

function isNameStart(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const lower = byte | 0x20;
  return byte >= 0x80 || byte === 0x5f || (lower >= 0x61 && lower <= 0x7a);
}

/** Letters, digits, `_`, `$`. */
function isNamePart(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  return isNameStart(byte) || byte === 0x24 || (byte >= 0x30 && byte <= 0x39);
}
