/** Translates error positions in a text we sent to positions in the text the client wrote. Both count characters from 1. */
import type { Replacement } from '../sql/splice.ts';

export interface SentText {
  /** The client's whole text. */
  readonly written: Buffer;
  /** Where in it the part begins that was sent. */
  readonly start: number;
  readonly sent: Buffer;
  /** What was replaced, in bytes from that beginning. */
  readonly replacements: readonly Replacement[];
}

/** Gives the position in the client's text; the beginning of a replaced range for any place inside of it. */
export function writtenPosition(text: SentText, position: number): number {
  const at = writtenByte(text, byteOf(text.sent, position - 1));
  return characters(text.written, text.start + at) + 1;
}

function writtenByte({ replacements }: SentText, sentByte: number): number {
  let grown = 0;
  for (const { start, end, text } of [...replacements].sort(
    (one, other) => one.start - other.start,
  )) {
    const from = start + grown;
    const length = Buffer.byteLength(text);
    if (sentByte < from) break;
    if (sentByte < from + length) return start;
    grown += length - (end - start);
  }
  return sentByte - grown;
}

/** The first byte of the character with this index. */
function byteOf(text: Buffer, index: number): number {
  let seen = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (!isFirstByte(text[at] as number)) continue;
    if (seen === index) return at;
    seen += 1;
  }
  return text.length;
}

/** How many characters the first bytes of a text hold. */
function characters(text: Buffer, bytes: number): number {
  let count = 0;
  for (let at = 0; at < Math.min(bytes, text.length); at += 1) {
    if (isFirstByte(text[at] as number)) count += 1;
  }
  return count;
}

function isFirstByte(byte: number): boolean {
  return (byte & 0xc0) !== 0x80;
}
