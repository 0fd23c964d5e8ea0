/** Builds the text to send for a statement. */
import type { Replacement } from '../sql/splice.ts';
import { spliceBytes } from '../sql/splice.ts';
import type { Statement } from '../sql/verdict.ts';
import type { SentText } from './position-map.ts';

/**
 * Builds the text to send for a statement. A single statement keeps the surrounding text, including comments.
 * @param written the client's whole text
 * @param replacements in bytes from the start of the statement's own text
 */
export function textToSend(
  written: Buffer,
  statement: Statement,
  isAlone: boolean,
  replacements: readonly Replacement[],
): SentText {
  if (!isAlone) {
    const sent = spliceBytes(statement.text, replacements);
    return { written, start: statement.start, sent, replacements };
  }
  if (replacements.length === 0) return { written, start: 0, sent: written, replacements };
  const moved = replacements.map(({ start, end, text }) => ({
    start: start + statement.start,
    end: end + statement.start,
    text,
  }));
  return { written, start: 0, sent: spliceBytes(written, moved), replacements: moved };
}
