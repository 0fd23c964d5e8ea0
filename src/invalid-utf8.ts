/** PostgreSQL's message about bytes that are not valid UTF-8. */
import { isUtf8 } from 'node:buffer';

/** Returns the number of bytes that the first byte of a character announces. */
function announced(first: number): number {
  if ((first & 0xe0) === 0xc0) return 2;
  if ((first & 0xf0) === 0xe0) return 3;
  return (first & 0xf8) === 0xf0 ? 4 : 1;
}

/** A long text is checked in pieces, because a check of each character takes far longer. */
const pieceBytes = 65_536;

/** Returns the length of a part of the text that is valid: up to the piece with the first character that is not. */
function validBytes(text: Buffer): number {
  for (let at = 0; ; ) {
    let end = at + pieceBytes;
    while (((text[end] ?? 0) & 0xc0) === 0x80 && end < at + pieceBytes + 3) end += 1;
    const piece = text.subarray(at, end);
    if (end >= text.length || !isUtf8(piece) || piece.includes(0)) return at;
    at = end;
  }
}

/** Returns the bytes of the first character that is not valid, as PostgreSQL prints them: `: 0xe2 0x28 0xa1`. Empty if there is none. */
function firstInvalid(text: Buffer): string {
  for (let at = validBytes(text); at < text.length; ) {
    const character = text.subarray(at, at + announced(text[at] ?? 0));
    if (!isUtf8(character) || character[0] === 0)
      return `: ${[...character].map((byte) => `0x${byte.toString(16).padStart(2, '0')}`).join(' ')}`;
    at += character.length;
  }
  return '';
}

/** Returns PostgreSQL's message about a text that is not valid. */
export const invalidUtf8 = (text: Buffer) =>
  `invalid byte sequence for encoding "UTF8"${firstInvalid(text)}`;
