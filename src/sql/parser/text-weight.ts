/**
 * How much work a text makes for the parser, which keeps the thread that serves everybody: its length alone says little, for a
 * long literal costs nearly nothing. Counts what PostgreSQL's scanner would find, but faster; where the two differ it counts more.
 */

/** What a statement costs besides its tokens. */
const statementWeight = 10;

const [quote, doubleQuote, dollar, dash, slash, star, semicolon, backslash] = Buffer.from(
  `'"$-/*;\\`,
) as unknown as readonly [number, number, number, number, number, number, number, number];

/** Whether a text has more tokens than that: words, numbers, literals, signs. */
export function isHeavierThan(text: Buffer, most: number): boolean {
  if (text.length * (1 + statementWeight) <= most) return false;
  const scan = { at: 0, hasEscapes: false };
  let weight = 0;
  for (skipSpace(text, scan); scan.at < text.length; skipSpace(text, scan)) {
    const byte = text[scan.at] as number;
    weight += byte === semicolon ? 1 + statementWeight : 1;
    if (weight > most) return true;
    readToken(text, byte, scan);
  }
  return false;
}

function skipSpace(text: Buffer, scan: Scan): void {
  for (;;) {
    const byte = text[scan.at] ?? 0x7f;
    const next = text[scan.at + 1];
    if (byte <= 0x20) scan.at += 1;
    else if (byte === dash && next === dash) scan.at = after(text, '\n', scan.at);
    else if (byte === slash && next === star) scan.at = afterComment(text, scan.at);
    else return;
  }
}

interface Scan {
  at: number;
  /** In a literal that follows now a backslash escapes: it goes on with one that began with E. */
  hasEscapes: boolean;
}

function readToken(text: Buffer, byte: number, scan: Scan): void {
  const start = scan.at;
  if (byte === quote) {
    scan.at = scan.hasEscapes ? afterEscaped(text, start + 1) : after(text, "'", start + 1);
    return;
  }
  scan.hasEscapes = false;
  if (byte === doubleQuote) scan.at = after(text, '"', start + 1);
  else if (byte === dollar) scan.at = afterDollarQuoted(text, start);
  else if (isWord(byte)) {
    while (isWord(text[scan.at])) scan.at += 1;
    const isPrefix = scan.at === start + 1 && (byte | 0x20) === 0x65 && text[scan.at] === quote;
    scan.hasEscapes = isPrefix;
  } else scan.at += 1;
}

/** A literal that begins with E ends at a quote that no backslash precedes; a doubled one begins another piece of it. */
function afterEscaped(text: Buffer, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== quote) at += text[at] === backslash ? 2 : 1;
  return at + 1;
}

function afterDollarQuoted(text: Buffer, start: number): number {
  let end = start + 1;
  while (isWord(text[end]) && text[end] !== dollar) end += 1;
  const first = text[start + 1] as number;
  const isDigit = first >= 0x30 && first <= 0x39;
  if (text[end] !== dollar || isDigit) return end;
  return after(text, text.subarray(start, end + 1), end + 1);
}

function afterComment(text: Buffer, start: number): number {
  let depth = 1;
  let at = start + 2;
  for (; depth > 0 && at < text.length; at += 1) {
    if (text[at] === slash && text[at + 1] === star) depth += 1;
    else if (text[at] === star && text[at + 1] === slash) depth -= 1;
    else continue;
    at += 1;
  }
  return at;
}

function after(text: Buffer, what: string | Buffer, from: number): number {
  const found = text.indexOf(what, from);
  return found < 0 ? text.length : found + what.length;
}

function isWord(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const letter = byte | 0x20;
  return (
    (letter >= 0x61 && letter <= 0x7a) ||
    (byte >= 0x30 && byte <= 0x39) ||
    byte === 0x5f ||
    byte === dollar ||
    byte >= 0x80
  );
}
