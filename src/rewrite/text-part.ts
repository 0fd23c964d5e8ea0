/** Extracts parts of a statement that are sent separately. */

import type { TextPart } from '../sql/places.ts';
import type { Replacement } from '../sql/splice.ts';
import { spliceBytes } from '../sql/splice.ts';

/**
 * Returns a part's text between two positions in the statement, with replacements made.
 * @param replacements those of the whole statement
 */
export function splicedPart(
  part: TextPart,
  replacements: readonly Replacement[],
  start = part.start,
  end = part.end,
): string {
  const inside = replacements
    .filter((each) => each.start >= start && each.end <= end)
    .map((each) => ({ ...each, start: each.start - start, end: each.end - start }));
  return spliceBytes(part.text.subarray(start - part.start, end - part.start), inside).toString();
}
