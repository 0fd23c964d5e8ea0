/**
 * Maps error positions in a sent text to positions in the client's text. Both count characters from 1: those of the database's encoding,
 * which are bytes in SQL_ASCII.
 */
import type { Replacement } from '../sql/splice.ts';

export interface SentText {
  /** The client's whole text. */
  readonly written: Buffer;
  /** The byte offset in `written` of the part that was sent. */
  readonly start: number;
  readonly sent: Buffer;
  /** The replacements, in bytes from `start`. */
  readonly replacements: readonly Replacement[];
}

/**
 * Returns the position in the client's text. A position inside a replacement maps to the start of the replaced range.
 * @param countsBytes whether a character of the database is a byte
 */
export function writtenPosition(text: SentText, position: number, countsBytes: boolean): number {
  if (countsBytes) return text.start + writtenByte(text, position - 1) + 1;
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

/** Returns the offset of the first byte of the character at an index. */
function byteOf(text: Buffer, index: number): number {
  let seen = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (!isFirstByte(text[at] as number)) continue;
    if (seen === index) return at;
    seen += 1;
  }
  return text.length;
}

/** Counts the characters in the first bytes of a text. */
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
